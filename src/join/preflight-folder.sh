# Before a machine without a network boots with the folder; without a version, any is right.
check_folder() {
  found=$(packages_in_folder) lacking=''
  for package in $wanted_packages; do
    name=${package%%=*} version=${package#*=}
    echo "$found" | awk -v name="$name" -v version="$version" '
      $1 == name {
        known = substr($2, index($2, ":") + 1)
        if (index(known, version) == 1 && substr(known, length(version) + 1, 1) !~ /[0-9.]/) is_there = 1
        if (version == "") is_there = 1
      }
      END { exit !is_there }' || lacking="$lacking, $name${version:+ $version}"
  done
  if [ -z "$lacking" ]; then ok packages "$folder_of_packages"
  else missing packages "$folder_of_packages lacks ${lacking#, }, and it needs all that they depend on"; fi
}
