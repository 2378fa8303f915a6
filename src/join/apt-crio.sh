add_crio() { add_repository cri-o "$runtime_repository/Release.key" "$runtime_repository/ /"; }
