packages_in_folder() { rpm -qp --nosignature --qf '%{NAME} %{VERSION}\n' "$folder_of_packages"/*.rpm 2>/dev/null; }
