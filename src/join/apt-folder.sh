# A repository made of the folder, with which apt finds what the packages depend on, and takes the right one of
# several versions: apt-get would install all files that it is given. It uses nothing else, neither the
# repositories of the machine nor what is known of them.
index=/var/lib/edge-nodepools/packages
apt_options="-o Dir::Etc::SourceList=$index/sources.list -o Dir::Etc::SourceParts=/dev/null
  -o Dir::State::Lists=$index/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
  -o Acquire::Languages=none"
# in_folder NAME VERSION
in_folder() {
  seen=''
  for file in "$folder_of_packages"/*.deb; do
    [ -e "$file" ] && [ "$(dpkg-deb -f "$file" Package)" = "$1" ] || continue
    seen="$seen $(dpkg-deb -f "$file" Version)"
    ! is_version "${seen##* }" "$2" || return 0
  done
  say "$folder_of_packages has no package of $1 $2, but: ${seen:-none}"
  return 66
}
# The names of the files are numbers, because apt reads %3a in a name as a colon.
index_folder() {
  rm -rf "$index" && mkdir -p "$index/lists/partial" || return
  number=0
  for file in "$folder_of_packages"/*.deb; do
    number=$((number + 1))
    ln -s "$file" "$index/$number.deb" && dpkg-deb -f "$file" && sum=$(sha256sum < "$file") || return
    printf 'Filename: ./%s.deb\nSize: %s\nSHA256: %s\n\n' "$number" "$(wc -c < "$file")" "${sum%% *}"
  done > "$index/Packages"
  echo "deb [trusted=yes] file:$index ./" > "$index/sources.list" || return
  apt_get update > "$index/log" 2>&1 || { cat "$index/log" >&2; return 74; }
}
find_packages() {
  find_version "$kubelet_version" &&
    { [ -z "$runtime_package" ] || in_folder "$runtime_package" "$runtime_version"; }
}
find_version() { in_folder kubelet "$1" && in_folder kubeadm "$1" && index_folder; }
