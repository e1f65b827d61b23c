# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# bk_proto_library(ROOT folder PROTOS bridgekeeper/v1/a.proto ...)
#
# Generates C++ from the .proto files (named relative to ROOT) into the build
# tree and makes two libraries: bk::proto_messages (messages only) and
# bk::proto_grpc (service stubs; hands on the messages). Only .proto files
# listed under GRPC have services. Include as "bridgekeeper/v1/a.pb.h" and
# "bridgekeeper/v1/a.grpc.pb.h". Generated code is compiled without our warnings
# and included as system headers.

function(bk_proto_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "ROOT" "PROTOS;GRPC")
  if(NOT arg_ROOT)
    set(arg_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_ROOT)
  set(out "${CMAKE_BINARY_DIR}/gen")
  file(MAKE_DIRECTORY "${out}")
  set(well_known "${Protobuf_INCLUDE_DIRS}")

  get_target_property(plugin gRPC::grpc_cpp_plugin IMPORTED_LOCATION_NONE)
  if(NOT plugin)
    find_program(BK_GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
    set(plugin "${BK_GRPC_CPP_PLUGIN}")
  endif()

  list(APPEND arg_PROTOS ${arg_GRPC})
  list(REMOVE_DUPLICATES arg_PROTOS)
  set(inputs "")
  foreach(proto IN LISTS arg_PROTOS)
    list(APPEND inputs "${arg_ROOT}/${proto}")
  endforeach()

  set(message_sources "")
  foreach(proto IN LISTS arg_PROTOS)
    string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
    # Depends on every .proto: an import may have changed. Protobuf's own
    # depfile support does not follow renames.
    add_custom_command(
      OUTPUT "${out}/${stem}.pb.h" "${out}/${stem}.pb.cc"
      COMMAND protobuf::protoc "-I${arg_ROOT}" "--cpp_out=${out}" "${arg_ROOT}/${proto}"
      DEPENDS ${inputs} protobuf::protoc
      COMMENT "protoc ${proto}" VERBATIM)
    list(APPEND message_sources "${out}/${stem}.pb.cc" "${out}/${stem}.pb.h")
  endforeach()

  set(grpc_sources "")
  foreach(proto IN LISTS arg_GRPC)
    string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
    add_custom_command(
      OUTPUT "${out}/${stem}.grpc.pb.h" "${out}/${stem}.grpc.pb.cc"
      COMMAND protobuf::protoc "-I${arg_ROOT}" "--grpc_out=${out}" "--plugin=protoc-gen-grpc=${plugin}"
              "${arg_ROOT}/${proto}"
      DEPENDS ${inputs} protobuf::protoc
      COMMENT "protoc --grpc ${proto}" VERBATIM)
    list(APPEND grpc_sources "${out}/${stem}.grpc.pb.cc" "${out}/${stem}.grpc.pb.h")
  endforeach()

  add_library(bk_proto_messages STATIC ${message_sources})
  target_include_directories(bk_proto_messages SYSTEM PUBLIC "${out}")
  target_link_libraries(bk_proto_messages PUBLIC protobuf::libprotobuf)
  add_library(bk::proto_messages ALIAS bk_proto_messages)

  if(grpc_sources)
    add_library(bk_proto_grpc STATIC ${grpc_sources})
    target_link_libraries(bk_proto_grpc PUBLIC bk_proto_messages gRPC::grpc++)
    add_library(bk::proto_grpc ALIAS bk_proto_grpc)
  endif()

  set_target_properties(bk_proto_messages PROPERTIES CXX_CLANG_TIDY "")
endfunction()
