# no trace, which would print what is secret; cron and boot hooks have a short PATH
set -u +x
LC_ALL=C PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin
export LC_ALL PATH
