key=nodepool.openyurt.io/hostnetwork
kind=nodepools.$version.apps.openyurt.io

# the quoted texts are of awk
# shellcheck disable=SC2016
missing() { pools_where "$version" '$2 == "true" && tolower($3) != "true"'; }
# the new release shows a pool in an older version with the annotation, and without the field
# shellcheck disable=SC2016
wrong() { pools_where "$version" '$2 != "true" && tolower($3) == "true"'; }

# The annotation as it was before the first change: an empty file if the pool had none, else = and its value.
remember() {
  test -e "backup/annotations/$1" ||
    save "annotations/$1" kubectl get "$kind" "$1" --output=go-template="{{range \$key, \$value := .metadata.annotations}}{{if eq \$key \"$key\"}}={{\$value}}{{end}}{{end}}"
}

is_done() {
  prints_nothing missing
  stored=$(storage_version)
  test -n "$stored"
  [ "$stored" != "$version" ] || prints_nothing wrong
}

run() {
  names=$(missing)
  for pool in $names; do
    remember "$pool"
    kubectl annotate --overwrite "$kind" "$pool" "$key=true"
  done
  stored=$(storage_version)
  [ "$stored" = "$version" ] || return 0
  names=$(wrong)
  for pool in $names; do
    remember "$pool"
    kubectl annotate "$kind" "$pool" "$key-"
  done
}

undo() {
  stored=$(storage_version)
  [ "$stored" = "$version" ] || fail 'the new release needs the annotations'
  mkdir -p backup/annotations
  names=$(ls backup/annotations)
  for pool in $names; do
    found=$(kubectl get "$kind" "$pool" --ignore-not-found --output=name)
    before=$(cat "backup/annotations/$pool")
    if [ -z "$found" ]; then
      say "NodePool $pool does not exist any more"
    elif [ -z "$before" ]; then
      kubectl annotate "$kind" "$pool" "$key-"
    else
      kubectl annotate --overwrite "$kind" "$pool" "$key$before"
    fi
    rm "backup/annotations/$pool"
  done
}
