# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts beside the three programs (bk_binary installs those):
#
#   lib/bridgekeeper/               private libraries, found by the programs' $ORIGIN
#   share/{bash-completion,zsh,fish} completion of keeper
#   lib/{systemd/system,sysusers.d}/ units, with the prefix that is installed to
#   share/doc/bridgekeeper/         licence and sample configurations
#
# tests/packaging/install_test.py holds the list of all files.

if(BK_WITH_DUCKDB)
  install(FILES "${CMAKE_BINARY_DIR}/lib/libduckdb.so" DESTINATION lib/bridgekeeper
          PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()

install(FILES LICENSE deploy/keeperd/keeperd.yaml deploy/bridge/keeper-bridge.yaml
        DESTINATION share/doc/bridgekeeper)

install(FILES deploy/systemd/bridgekeeper.sysusers DESTINATION lib/sysusers.d RENAME bridgekeeper.conf)

# The units say /usr/bin; which prefix it is to be is known only now.
foreach(unit IN ITEMS keeperd keeper-bridge)
  install(CODE "
    file(READ \"${CMAKE_SOURCE_DIR}/deploy/systemd/${unit}.service\" text)
    string(REPLACE \"=/usr/bin/\" \"=\${CMAKE_INSTALL_PREFIX}/bin/\" text \"\${text}\")
    file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${unit}.service\" \"\${text}\")")
endforeach()

# Written by the program itself when it is installed, so that it cannot lag behind.
function(bk_install_completion shell file)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${file}\")
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY \"\${folder}\")
    message(STATUS \"Installing: \${file}\")
    execute_process(COMMAND \"$<TARGET_FILE:keeper>\" completion ${shell}
                    OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)")
endfunction()
bk_install_completion(bash bash-completion/completions/keeper)
bk_install_completion(zsh zsh/site-functions/_keeper)
bk_install_completion(fish fish/vendor_completions.d/keeper.fish)
