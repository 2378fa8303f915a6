has_worked() {
  test -e backup/excluded.txt || return 0
  save excluded-now.txt excluded_components
  if lost=$(grep -vxFf backup/excluded-now.txt backup/excluded.txt); then
    say "These were kept off host-network nodes before the upgrade, and are not now: $(echo "$lost" | tr '\n' ' ')"
    return 1
  fi
}
