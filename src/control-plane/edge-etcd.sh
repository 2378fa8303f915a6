usage() {
  cat <<'END'
edge-etcd ready     prepares volume, user and certificates, or fails with the reason; systemd runs it before each start
edge-etcd setup     enables the units, and starts etcd in the background
edge-etcd run       runs etcdctl at all members with the certificates of this one: edge-etcd run member list
edge-etcd status    says what this member says of itself
edge-etcd snapshot  saves a snapshot of all data, and checks it
edge-etcd defrag    gives free pages back to the file system, one member at a time; with `force` also if there are few
edge-etcd compact   drops the history of all keys; then `defrag force` on each member, and `run alarm disarm`, make room
edge-etcd restore   FILE: replaces the data by a snapshot, on every member with the same file; before it, the API
                    servers and every etcd are stopped. They begin when all members have theirs
edge-etcd begin     begins without those that do not come; never if one of them has data that is needed
edge-etcd replace   makes this machine, whose data is lost, a new member in place of the one of its name
END
}

command=${1:-help}
[ $# -eq 0 ] || shift
[ "$(id -u)" = 0 ] || [ "$command" = help ] || { say 'this needs root'; exit 77; }
case $command in
  ready | setup | run | status | snapshot | defrag | compact | restore | replace | begin) "$command" "$@" ;;
  *)
    usage
    [ "$command" = help ] || exit 64
    ;;
esac
