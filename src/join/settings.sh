#: clock
# no: the clock is known not to be synchronized; unknown: nothing on this machine tells
synchronized() {
  if command -v timedatectl >/dev/null 2>&1; then
    timedatectl show -p NTPSynchronized --value 2>/dev/null
  elif command -v chronyc >/dev/null 2>&1; then
    chronyc -n tracking 2>/dev/null | sed -n 's/^Leap status.*Not syn.*/no/p'
  else
    echo unknown
  fi
}
#: journal
reload_journal() { control -q try-restart systemd-journald; }
#: modules
load_modules() {
  for module in $modules; do
    [ -e "/sys/module/$(echo "$module" | tr - _)" ] || modprobe "$module" ||
      { say "the module $module cannot be loaded"; return 78; }
  done
}
#: proxy
# User and password of the proxy, encoded for a URL. They go through pipes and builtins, so no argument has
# them; od reads the bytes, because programs called awk differ in what a character is.
proxy_user() {
  od -An -v -tx1 "$proxy_credentials" | awk '
    # unreserved in a URL (RFC 3986); every other byte is encoded, so that nothing in a password can be anything
    # else
    BEGIN {
      for (i = 33; i < 127; i++) { c = sprintf("%c", i); if (c ~ /[A-Za-z0-9._~-]/) plain[sprintf("%02x", i)] = c }
    }
    { for (i = 1; i <= NF; i++) byte[++count] = $i }
    END {
      first = byte[1] byte[2] byte[3] == "efbbbf" ? 4 : 1
      if (byte[count] == "0a") count--
      if (byte[count] == "0d") count--
      for (i = first; i <= count; i++) {
        if (byte[i] == "0a" || byte[i] == "0d" || byte[i] == "00") exit 65
        if (byte[i] == "3a" && !found) { found = i; out = out ":" }
        else out = out (byte[i] in plain ? plain[byte[i]] : "%" toupper(byte[i]))
      }
      if (found <= first) exit 65
      print out
    }'
}
use_proxy() {
  [ -r "$proxy_credentials" ] ||
    { say "$proxy_credentials cannot be read: it has user:password of the proxy"; return 66; }
  command -v od >/dev/null 2>&1 || { say 'od is not installed'; return 127; }
  user=$(proxy_user) || { say "$proxy_credentials does not hold one line user:password"; return 65; }
  for proxy in $proxies; do
    url=${proxy#*=}
    url=${url%%://*}://$user@${url#*://}
    case $proxy in
      http_proxy=*) http_proxy=$url HTTP_PROXY=$url; export http_proxy HTTP_PROXY ;;
      *) https_proxy=$url HTTPS_PROXY=$url; export https_proxy HTTPS_PROXY ;;
    esac
  done
}
# The same for the container runtime: a drop-in that only root can read. "%" starts a specifier of systemd.
write_drop_in() (
  umask 077
  for proxy in $proxies; do
    case $proxy in
      http_proxy=*) echo "Environment=\"http_proxy=$http_proxy\""; echo "Environment=\"HTTP_PROXY=$http_proxy\"" ;;
      *) echo "Environment=\"https_proxy=$https_proxy\""; echo "Environment=\"HTTPS_PROXY=$https_proxy\"" ;;
    esac
  done | { echo '[Service]'; sed 's/%/%%/g'; } > "$1"
)
#: swap
# Also at every boot; swap on zram, or found on the disk, has no line in fstab.
switch_swap_off() {
  swapoff -a || { say 'swap cannot be switched off'; return 78; }
  if grep -q '^[^#].*[[:space:]]swap[[:space:]]' /etc/fstab 2>/dev/null; then
    sed 's/^\([^#].*[[:space:]]swap[[:space:]]\)/#\1/' /etc/fstab > /etc/fstab.edge-nodepools &&
      mv -f /etc/fstab.edge-nodepools /etc/fstab || return
  fi
  control -q mask swap.target
}
#: sysctl
# Each line has a path below /proc/sys and a value.
set_parameters() {
  echo "$parameters" | while read -r path value; do
    echo "$value" > "/proc/sys/$path" || { say "/proc/sys/$path cannot be set"; exit 78; }
  done
}
#: watchdog
reload_watchdog() { control daemon-reexec; }
