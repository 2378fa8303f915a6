# The newest package with the wanted version of the program.
exact_runtime() {
  [ -n "$runtime_version" ] || { echo "$runtime_package"; return; }
  for known in $(apt-cache $apt_options madison "$runtime_package" | awk '{ print $3 }'); do
    if is_version "$known" "$runtime_version"; then echo "$runtime_package=$known"; return; fi
  done
  say "there is no $runtime_package $runtime_version in the repositories"
  return 65
}
runtime_now() {
  dpkg-query -W -f '${db:Status-Status} ${Package}=${Version}\n' $runtime_alternatives 2>/dev/null |
    sed -n 's/^installed //p' | head -n 1
}
has_runtime() {
  known=$(runtime_now)
  [ "${known%%=*}" = "$runtime_package" ] && is_version "${known#*=}" "$runtime_version"
}
install_runtime() { apt_get install -y --allow-downgrades --allow-change-held-packages "$1"; }
