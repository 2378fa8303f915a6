# A node keeps what it has joined with. Until everything is done, the record ends in .new.
refuse_change() {
  record=$state/applied.new
  [ -s "$record" ] || record=$state/applied
  [ -s "$record" ] || return 0
  changed=$(echo "$applied" | sort - "$record" | uniq -u |
    sed 's/^[^ ]* //; s/=.*/ of this machine/; s/$/, /' | sort -u | tr -d '\n')
  [ -z "$changed" ] || { say "this machine has joined with other settings. Not applied: ${changed%, }." \
    "Leave and join again"; exit 78; }
}
