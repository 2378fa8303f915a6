# The join imports what is there, and says nothing if that is nothing.
check_images() {
  set -- "$image_folder"/*.tar
  if [ -e "$1" ]; then ok images "$# files"; else missing images "$image_folder has no *.tar"; fi
}
