# A join that begins has run none of them.
forget_commands() { rm -f "$state/finished"; }
# Which join it is: after a reset and another one the commands are run again.
this_join() { ls -i "$conf" 2>/dev/null && cksum "$conf"; }
commands_after() {
  [ ! -e "$state/finished" ] || [ "$(this_join)" != "$(cat "$state/finished")" ] || return 0
  run_commands after "$after" || return
  this_join > "$state/finished"
}
