give_runtime_proxy() {
  mkdir -p "${drop_in%/*}" && rm -f "$drop_in.new" && write_drop_in "$drop_in.new" &&
    mv -f "$drop_in.new" "$drop_in"
}
