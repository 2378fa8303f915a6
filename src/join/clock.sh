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
