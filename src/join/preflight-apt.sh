packages_in_folder() {
  # shellcheck disable=SC2016 # these are of dpkg
  for file in "$folder_of_packages"/*.deb; do
    dpkg-deb -W --showformat='${Package} ${Version}\n' "$file"
  done 2>/dev/null
}
