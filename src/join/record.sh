# A node keeps what it has joined with. Until everything is done, the record ends in .new.
refuse_change() {
  for record in "$state/applied.new" "$state/applied"; do [ ! -s "$record" ] || break; done
  [ -s "$record" ] || return 0
  changed=$(echo "$applied" | grep -vxF -f "$record" | sed 's/^[^ ]* //; s/=.*/ of this machine/; s/$/, /' | tr -d '\n')
  [ -z "$changed" ] || { say "this machine has joined with other settings." \
    "Not applied: ${changed%, }. Leave and join again to apply them"; exit 78; }
}
