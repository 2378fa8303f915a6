line='* * * * * root /bin/sh /var/lib/edge-nodepools/service.sh run >>/var/log/edge-nodepools-join.log 2>&1'
enable_manager() { mkdir -p /etc/cron.d && echo "$line" | keep /etc/cron.d/edge-nodepools-join; }
begin() { :; } # cron runs it every minute
rest() { :; }
remove() { rm -f /etc/cron.d/edge-nodepools-join; }
