list_folder() {
  for file in "$folder_of_packages"/*.rpm; do
    [ ! -e "$file" ] || {
      rpm -qp --nosignature --qf '%{NAME} %{VERSION} %{VERSION}-%{RELEASE} ' "$file" && echo "$file"
    } || return
  done | sort -k1,1 -k3,3V
}
# in_folder NAME VERSION
in_folder() {
  seen=$(list_folder | awk -v name="$1" '$1 == name { print $2, $3 }')
  if [ -z "$2" ]; then [ -z "$seen" ] || return 0
  else case " $(echo $seen) " in *" $2 "*) return 0 ;; esac; fi
  say "$folder_of_packages has no package of $1 $2, but:" ${seen:-none}
  return 66
}
# install_files NAME VERSION …: dnf installs all files that it is given, so it is given these versions, and of
# every other package the newest one if the machine has none or an older one
install_files() {
  list=$state/packages wanted="$*"
  while [ $# -gt 1 ]; do in_folder "$1" "$2" || return; shift 2; done
  list_folder | awk -v wanted="$wanted" '
    BEGIN {
      n = split(wanted, word, " ")
      for (i = 1; i <= n; i++) if (word[i + 1] ~ /^[0-9]/) version[word[i]] = word[i + 1]
    }
    !($1 in version) || version[$1] == $2 || version[$1] == $3 {
      file[$1] = ($1 in version) " " $1 " " $3 " " $4
    }
    END { for (name in file) print file[name] }' > "$list" || return
  set --
  while read -r own name offered file; do
    known=$(rpm -q --qf '%{VERSION}-%{RELEASE}\n' "$name" 2>/dev/null) || known=''
    known=$(echo "$known" | sort -V | tail -n 1)
    if [ "$own" = 1 ] || [ -z "$known" ] ||
      [ "$(printf '%s\n' "$offered" "$known" | sort -V | tail -n 1)" != "$known" ]; then set -- "$@" "$file"; fi
  done < "$list"
  dnf install -y --disablerepo='*' --allowerasing "$@"
}
install_wanted() {
  install_files kubelet "$kubelet_version" kubeadm "$kubelet_version" \
    ${runtime_package:+"$runtime_package" "$runtime_version"}
}
return_version() {
  unhold kubelet kubeadm
  install_files kubelet "$1" kubeadm "$1" || return
  hold kubelet kubeadm
}
install_runtime() { install_files "${1% *}" "${1#* }"; }
