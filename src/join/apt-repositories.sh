apt_options=''
# add_repository NAME KEY PLACE [OPTION]: in the files that the documentation of each project has
add_repository() {
  key=/etc/apt/keyrings/$1.asc
  mkdir -p /etc/apt/keyrings || return
  if command -v curl >/dev/null 2>&1; then curl -fsSL -o "$key" "$2"; else wget -q -O "$key" "$2"; fi || return
  chmod 0644 "$key"
  echo "deb [${4-}signed-by=$key] $3" > "/etc/apt/sources.list.d/$1.list"
}
find_packages() {
  add_repository kubernetes "$repository/Release.key" "$repository/ /" || return
  for step in $runtime_sources; do $step || return; done
  apt_get update
}
# the package may be in the cache of a machine without a network
find_version() { apt_get update || :; }
