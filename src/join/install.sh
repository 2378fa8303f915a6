install() { install_packages || { status=$?; say 'the packages cannot be installed'; return $status; }; }
