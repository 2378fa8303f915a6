#: head
# no trace, which could print a secret; cron and boot hooks have a short PATH
set -u +x
export LC_ALL=C PATH="${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin"
#: steps
# until one fails
run_steps() { for step in $steps; do $step || return; done; }
run_steps
