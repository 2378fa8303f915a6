// Made of the .sh files of this folder by `npm run shell`. Do not edit it: edit those. cspell:disable

/** What runs on machines, by file. */
export const SHELL = {
  'head.sh': "# no trace, which would print what is secret; cron and boot hooks have a short PATH\nset -u +x\nLC_ALL=C PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin\nexport LC_ALL PATH\n",
};
