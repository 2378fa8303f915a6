# A node keeps what it has joined with. Until everything is done, the record ends in .new. A power cut can empty it.
refuse_change() {
  record=$state/applied.new
  [ -s "$record" ] || record=$state/applied; [ -e "$record" ] || return 0
  if [ ! -s "$record" ] || [ -n "$(tail -c 1 "$record" | tr -c '\n' x)" ]; then
    grep -q "${join_label}[, \"]" /var/lib/kubelet/kubeadm-flags.env ||
      { say "$record is not whole: what this machine has is unknown, which an update ends"; exit 78; }
    say "$record was not whole: this machine has this join"
    echo "$applied" > "$record.again" && sync && mv -f "$record.again" "$record" || exit 74
  fi
  changed=$(echo "$applied" | sort - "$record" | uniq -u |
    sed 's/^[^ ]* //; s/=.*/ of this machine/; s/$/, /' | sort -u | tr -d '\n')
  [ -z "$changed" ] || { say "this machine has joined with other settings. Not applied: ${changed%, }." \
    "Leave and join again"; exit 78; }
}
