// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/channel.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "clients/sdk/channel_grpc.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::clients {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct GoodAddress {
  std::string name;
  std::string text;
  KeeperAddress want;
};

class GoodAddressTest : public ::testing::TestWithParam<GoodAddress> {};

TEST_P(GoodAddressTest, IsRead) {
  EXPECT_THAT(ParseKeeperAddress(GetParam().text), IsOkAndHolds(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Address, GoodAddressTest,
    ::testing::Values(
        GoodAddress{"TlsByName",
                    "https://keeper.example:7420",
                    {KeeperAddress::Kind::kTls, "keeper.example:7420"}},
        GoodAddress{"TlsByIpv6",
                    "https://[2001:db8::1]:7420",
                    {KeeperAddress::Kind::kTls, "[2001:db8::1]:7420"}},
        GoodAddress{"AbsoluteSocket",
                    "unix:/run/keeperd/keeperd.sock",
                    {KeeperAddress::Kind::kUnix, "/run/keeperd/keeperd.sock"}},
        GoodAddress{
            "RelativeSocket", "unix:keeperd.sock", {KeeperAddress::Kind::kUnix, "keeperd.sock"}},
        GoodAddress{"LoopbackByName",
                    "localhost:7420",
                    {KeeperAddress::Kind::kPlaintext, "localhost:7420"}},
        GoodAddress{
            "LoopbackByIpv4", "127.8.9.10:1", {KeeperAddress::Kind::kPlaintext, "127.8.9.10:1"}},
        GoodAddress{
            "LoopbackByIpv6", "[::1]:65535", {KeeperAddress::Kind::kPlaintext, "[::1]:65535"}}),
    [](const auto& row) { return row.param.name; });

struct BadAddress {
  std::string name;
  std::string text;
  std::string says;
};

class BadAddressTest : public ::testing::TestWithParam<BadAddress> {};

TEST_P(BadAddressTest, IsRefusedWithWhatToWrite) {
  EXPECT_THAT(ParseKeeperAddress(GetParam().text),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Address, BadAddressTest,
    ::testing::Values(
        BadAddress{"Empty", "", "want `https://HOST:PORT`"},
        BadAddress{"NoPort", "localhost", "want `https://HOST:PORT`"},
        BadAddress{"PortZero", "localhost:0", "want `https://HOST:PORT`"},
        BadAddress{"PortTooHigh", "localhost:65536", "want `https://HOST:PORT`"},
        BadAddress{"PortWithSign", "localhost:+80", "want `https://HOST:PORT`"},
        BadAddress{"NoHost", ":7420", "want `https://HOST:PORT`"},
        BadAddress{"PlaintextAbroad", "keeper.example:7420", "want `https://keeper.example:7420`"},
        BadAddress{"PlaintextToEveryInterface", "0.0.0.0:7420", "loopback only"},
        BadAddress{"LooksLikeLoopback", "127.0.0.1.example:7420", "loopback only"},
        BadAddress{"LoopbackWithTooFewOctets", "127.1:7420", "loopback only"},
        BadAddress{"Http", "http://localhost:7420", "want `https://HOST:PORT`"},
        BadAddress{"TlsWithPath", "https://keeper.example:7420/", "nothing behind the port"},
        BadAddress{"TlsWithoutPort", "https://keeper.example", "nothing behind the port"},
        BadAddress{"TlsWithUser", "https://me@keeper.example:7420", "nothing behind the port"},
        BadAddress{"GrpcTarget", "dns:///keeper.example:7420", "want `https://HOST:PORT`"},
        BadAddress{"SocketWithoutPath", "unix:", "want 1 to 107"},
        BadAddress{"SocketPathTooLong", "unix:" + std::string(108, 'a'), "got a path of 108 bytes"},
        BadAddress{"TerminalEscapesAreShownNotSent", "\x1b[2Jhost", "\\u{001b}"}),
    [](const auto& row) { return row.param.name; });

TEST(ChannelOptions, ReadEveryVariable) {
  const std::map<std::string, std::string> environment = {
      {"KEEPER_ADDRESS", "https://keeper.example:7420"},
      {"KEEPER_TOKEN", "sesame"},
      {"KEEPER_TOKEN_FILE", "token"},
      {"KEEPER_CA", "ca.pem"},
      {"KEEPER_CERT", "cert.pem"},
      {"KEEPER_KEY", "key.pem"}};
  const ChannelOptions options =
      ChannelOptionsFromEnvironment([&](const char* name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        if (found == environment.end()) return std::nullopt;
        return found->second;
      });
  EXPECT_EQ(options.address, "https://keeper.example:7420");
  EXPECT_EQ(options.token.Reveal(), "sesame");
  EXPECT_EQ(options.token_file, "token");
  EXPECT_EQ(options.ca_file, "ca.pem");
  EXPECT_EQ(options.cert_file, "cert.pem");
  EXPECT_EQ(options.key_file, "key.pem");
}

TEST(ChannelOptions, AnEmptyVariableIsNotSet) {
  const ChannelOptions options =
      ChannelOptionsFromEnvironment([](const char*) { return std::string(); });
  EXPECT_EQ(options.address, kDefaultKeeperAddress);
  EXPECT_TRUE(options.token.empty());
}

std::string WriteFile(const std::string& name, const std::string& content) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path =
      (folder != nullptr ? std::string(folder) : ::testing::TempDir()) + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(Channel, RefusesATokenBesideATokenFile) {
  ChannelOptions options;
  options.token = Secret("sesame");
  options.token_file = "token";
  EXPECT_THAT(Channel::Create(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                                 HasSubstr("KEEPER_TOKEN, KEEPER_TOKEN_FILE")));
}

TEST(Channel, RefusesACaForAnAddressThatWouldNotUseIt) {
  ChannelOptions options;
  options.ca_file = "ca.pem";
  EXPECT_THAT(Channel::Create(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not use TLS")));
}

TEST(Channel, RefusesACertificateWithoutItsKey) {
  ChannelOptions options;
  options.address = "https://keeper.example:7420";
  options.cert_file = "cert.pem";
  EXPECT_THAT(Channel::Create(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("KEEPER_CERT, KEEPER_KEY")));
}

TEST(Channel, NamesTheFileThatIsMissing) {
  ChannelOptions options;
  options.address = "https://keeper.example:7420";
  options.ca_file = "no-such-ca.pem";
  EXPECT_THAT(Channel::Create(options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("CA file `no-such-ca.pem`")));
}

TEST(Channel, RefusesATokenFileWithTwoTokensAndDoesNotShowThem) {
  ChannelOptions options;
  options.token_file = WriteFile("two_tokens", "sesame\nmellon\n");
  EXPECT_THAT(Channel::Create(options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("want one token"), Not(HasSubstr("sesame")))));
}

TEST(Channel, RefusesATokenFileThatOthersMayWrite) {
  ChannelOptions options;
  options.token_file = WriteFile("open_token", "sesame\n");
  ASSERT_EQ(chmod(options.token_file.c_str(), 0622), 0);
  EXPECT_THAT(Channel::Create(options), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                 AllOf(HasSubstr("token file `"),
                                                       HasSubstr("chmod go-w"))));
}

TEST(Channel, KeepsItsTokenWhereTheFileIsGone) {
  ChannelOptions options;
  options.token_file = WriteFile("token", "  sesame\n");
  const auto channel = Channel::Create(options);
  ASSERT_THAT(channel, IsOk());
  EXPECT_THAT((*channel)->ReloadToken(), IsOk());
  ASSERT_EQ(std::remove(options.token_file.c_str()), 0);
  EXPECT_THAT((*channel)->ReloadToken(), StatusIs(absl::StatusCode::kNotFound));
}

struct GrpcFault {
  std::string name;
  grpc::StatusCode code;
  absl::StatusCode want;
  std::string says;
};

class GrpcFaultTest : public ::testing::TestWithParam<GrpcFault> {};

TEST_P(GrpcFaultTest, SaysWhatToDo) {
  const auto channel = Channel::Create(ChannelOptions{});
  ASSERT_THAT(channel, IsOk());
  EXPECT_THAT(FromGrpc(grpc::Status(GetParam().code, "its own \x1b[2J words"), **channel),
              StatusIs(GetParam().want,
                       AllOf(HasSubstr(GetParam().says), HasSubstr("its own \\u{001b}[2J words"))));
}

INSTANTIATE_TEST_SUITE_P(
    Status, GrpcFaultTest,
    ::testing::Values(GrpcFault{"Unreachable", grpc::StatusCode::UNAVAILABLE,
                                absl::StatusCode::kUnavailable, "is this its address"},
                      GrpcFault{"TooSlow", grpc::StatusCode::DEADLINE_EXCEEDED,
                                absl::StatusCode::kDeadlineExceeded, "127.0.0.1:7420"},
                      GrpcFault{"NoToken", grpc::StatusCode::UNAUTHENTICATED,
                                absl::StatusCode::kUnauthenticated, "set KEEPER_TOKEN"},
                      GrpcFault{"NotPermitted", grpc::StatusCode::PERMISSION_DENIED,
                                absl::StatusCode::kPermissionDenied, "does not permit"},
                      GrpcFault{"TooOld", grpc::StatusCode::UNIMPLEMENTED,
                                absl::StatusCode::kUnimplemented, "older than this program"},
                      GrpcFault{"Conflict", grpc::StatusCode::ABORTED, absl::StatusCode::kAborted,
                                "its own"}),
    [](const auto& row) { return row.param.name; });

TEST(GrpcFault, OkIsNone) {
  const auto channel = Channel::Create(ChannelOptions{});
  ASSERT_THAT(channel, IsOk());
  EXPECT_THAT(FromGrpc(grpc::Status::OK, **channel), IsOk());
}

}  // namespace
}  // namespace bridgekeeper::clients
