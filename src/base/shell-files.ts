// Made of the .sh files of this folder by `npm run shell`. Do not edit it: edit those. cspell:disable

/** What runs on machines, by file. */
export const SHELL = {
  'head.sh': "# no trace, which could print a secret; cron and boot hooks have a short PATH\nset -u +x\nexport LC_ALL=C PATH=\"${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin\"\n",
  'steps.sh': "# until one fails\nrun_steps() { for step in $steps; do $step || return; done; }\nrun_steps\n",
};
