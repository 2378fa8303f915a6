# cloud-init runs a module once, also if the power fails in it; these until the join begins.
cd /var/lib/cloud/instance || exit 0
[ -e sem/edge_nodepools ] || rm -f sem/config_write_files sem/config_seed_random
grep -qs '[p]ath: .*/edge-nodepools/join.sh' ./*cloud-config.txt /etc/cloud/cloud.cfg.d/* && exit
echo 'edge-nodepools: this machine does not join: other user-data has replaced write_files' >&2
exit 1
