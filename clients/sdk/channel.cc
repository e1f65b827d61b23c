// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/channel.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/sdk/channel_grpc.h"
#include "policy/base/mutex.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "runtime/guarded_file.h"
#include "runtime/unix_peer.h"

namespace bridgekeeper::clients {
namespace {

constexpr std::string_view kHttps = "https://";
constexpr std::string_view kUnix = "unix:";

// sizeof(sockaddr_un::sun_path) less its final NUL, unix(7).
constexpr size_t kMaxSocketPathBytes = 107;

// Largest file that is read as a token, a certificate or a key.
constexpr size_t kMaxFileBytes = 1 << 20;

// A watch carries whole records, and a record may be as large as a request (4 MiB,
// proto/convert/limits.h) before its change is wrapped around it.
constexpr int kMaxReceivedBytes = 16 << 20;

// A connection that died without a word is noticed within these two. Servers count
// pings more often than every 10 s as abuse (service/server).
constexpr int kKeepaliveTimeMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;

// How often gRPC tries to connect again; callers have a back-off of their own on top.
constexpr int kMinReconnectMs = 100;
constexpr int kMaxReconnectMs = 5'000;

constexpr size_t kMaxServerTextBytes = 1024;

constexpr std::string_view kForms =
    "want `https://HOST:PORT`, `unix:PATH`, or `HOST:PORT` for a loopback host";

absl::Status BadAddress(std::string_view text, std::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("keeper address `%s`: %s", EscapeForPeople(text, 256), problem));
}

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
};

// nullopt where `text` is not HOST:PORT.
std::optional<HostPort> SplitHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  constexpr std::string_view kHostBytes =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  constexpr std::string_view kIpv6Bytes = "0123456789abcdefABCDEF:.%";
  if (host.find_first_not_of(bracketed ? kIpv6Bytes : kHostBytes) != std::string_view::npos) {
    return std::nullopt;
  }
  uint32_t number = 0;
  if (port.empty() || port.size() > 5 ||
      port.find_first_not_of("0123456789") != std::string_view::npos ||
      !absl::SimpleAtoi(AsAbsl(port), &number) || number == 0 || number > 65535) {
    return std::nullopt;
  }
  return HostPort{std::string(host), std::string(port)};
}

// 127.0.0.0/8, ::1 and the name that stands for them (RFC 6761 section 6.3).
bool IsLoopback(std::string_view host) {
  if (AsciiLower(host) == "localhost" || host == "::1") return true;
  if (!host.starts_with("127.")) return false;
  int octets = 0;
  while (true) {
    const size_t dot = host.find('.');
    const std::string_view octet = host.substr(0, dot);
    uint32_t value = 0;
    if (octet.empty() || octet.size() > 3 ||
        octet.find_first_not_of("0123456789") != std::string_view::npos ||
        !absl::SimpleAtoi(AsAbsl(octet), &value) || value > 255) {
      return false;
    }
    ++octets;
    if (dot == std::string_view::npos) return octets == 4;
    host.remove_prefix(dot + 1);
  }
}

// Reads a small file that nobody else may change; `what` names it in errors.
absl::StatusOr<std::string> ReadFile(std::string_view what, const std::string& path) {
  auto content = ReadGuardedFile(path, kMaxFileBytes);
  if (!content.ok()) {
    const bool is_missing = content.status().code() == absl::StatusCode::kNotFound;
    return absl::Status(
        is_missing ? absl::StatusCode::kNotFound : absl::StatusCode::kFailedPrecondition,
        absl::StrFormat("%s %s", what, EscapeForPeople(AsStd(content.status().message()), 1024)));
  }
  if (content->empty()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s `%s`: got nothing, want a file of 1 byte to 1 MiB", what, EscapeForPeople(path, 512)));
  }
  return content;
}

// A token travels in a header: visible ASCII only (RFC 6750 section 2.1 is
// narrower still; the server decides which tokens exist).
absl::Status CheckToken(std::string_view what, std::string_view token) {
  for (const char c : token) {
    if (c < 0x21 || c > 0x7e) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: got a byte that is no visible ASCII character, want one token", what));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Secret> ReadTokenFile(const std::string& path) {
  BK_ASSIGN_OR_RETURN(std::string content, ReadFile("token file", path));
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = content.find_first_not_of(kSpace);
  if (first == std::string::npos) {
    return absl::FailedPreconditionError(
        absl::StrFormat("token file `%s`: got only white space", EscapeForPeople(path, 512)));
  }
  std::string token = content.substr(first, content.find_last_not_of(kSpace) - first + 1);
  BK_RETURN_IF_ERROR(
      CheckToken(absl::StrFormat("token file `%s`", EscapeForPeople(path, 512)), token));
  return Secret(std::move(token));
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeCredentials(
    const ChannelOptions& options, const KeeperAddress& address) {
  const bool has_tls_files =
      !options.ca_file.empty() || !options.cert_file.empty() || !options.key_file.empty();
  if (address.kind != KeeperAddress::Kind::kTls) {
    // Who names a CA means to check the server: plaintext would not do that.
    if (has_tls_files) {
      return BadAddress(options.address,
                        "got a CA, certificate or key with an address that does not use TLS, want "
                        "`https://HOST:PORT` or none of KEEPER_CA, KEEPER_CERT, KEEPER_KEY");
    }
    return grpc::InsecureChannelCredentials();
  }
  if (options.cert_file.empty() != options.key_file.empty()) {
    return absl::InvalidArgumentError(
        "got one of client certificate and key, want both or none (KEEPER_CERT, KEEPER_KEY)");
  }
  grpc::SslCredentialsOptions ssl;
  if (!options.ca_file.empty()) {
    BK_ASSIGN_OR_RETURN(ssl.pem_root_certs, ReadFile("CA file", options.ca_file));
  }
  if (!options.cert_file.empty()) {
    BK_ASSIGN_OR_RETURN(ssl.pem_cert_chain, ReadFile("certificate file", options.cert_file));
    BK_ASSIGN_OR_RETURN(ssl.pem_private_key, ReadFile("key file", options.key_file));
  }
  return grpc::SslCredentials(ssl);
}

}  // namespace

absl::StatusOr<KeeperAddress> ParseKeeperAddress(std::string_view text) {
  if (text.starts_with(kUnix)) {
    const std::string_view path = text.substr(kUnix.size());
    if (path.empty() || path.size() > kMaxSocketPathBytes ||
        path.find('\0') != std::string_view::npos) {
      return BadAddress(text, absl::StrFormat("got a path of %d bytes, want 1 to %d", path.size(),
                                              kMaxSocketPathBytes));
    }
    return KeeperAddress{KeeperAddress::Kind::kUnix, std::string(path)};
  }
  if (text.starts_with(kHttps)) {
    const std::string_view target = text.substr(kHttps.size());
    if (!SplitHostPort(target).has_value()) {
      return BadAddress(text, "want `https://HOST:PORT` with nothing behind the port");
    }
    return KeeperAddress{KeeperAddress::Kind::kTls, std::string(target)};
  }
  const std::optional<HostPort> host_port = SplitHostPort(text);
  if (!host_port.has_value()) return BadAddress(text, kForms);
  if (!IsLoopback(host_port->host)) {
    return BadAddress(text, absl::StrFormat("plaintext goes to loopback only, want `https://%s`",
                                            EscapeForPeople(text, 256)));
  }
  return KeeperAddress{KeeperAddress::Kind::kPlaintext, std::string(text)};
}

ChannelOptions ChannelOptionsFromEnvironment(const GetEnv& get_env) {
  const auto get = [&get_env](const char* name) { return get_env(name).value_or(std::string()); };
  ChannelOptions options;
  if (std::string address = get("KEEPER_ADDRESS"); !address.empty()) {
    options.address = std::move(address);
  }
  options.token = Secret(get("KEEPER_TOKEN"));
  options.token_file = get("KEEPER_TOKEN_FILE");
  options.ca_file = get("KEEPER_CA");
  options.cert_file = get("KEEPER_CERT");
  options.key_file = get("KEEPER_KEY");
  return options;
}

std::optional<std::string> ProcessEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

struct Channel::Rep {
  Rep(const ChannelOptions& the_options, const KeeperAddress& where,
      std::shared_ptr<grpc::Channel> the_channel, Secret the_token)
      : options(the_options), channel(std::move(the_channel)), token(std::move(the_token)) {
    if (where.kind == KeeperAddress::Kind::kUnix) peer.emplace(where.target, geteuid());
  }

  // Constant after construction.
  const ChannelOptions options;
  const std::shared_ptr<grpc::Channel> channel;
  std::optional<UnixPeer> peer;  // of a Unix socket

  mutable Mutex mu;
  Secret token ABSL_GUARDED_BY(mu);
};

Channel::Channel(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
Channel::~Channel() = default;

absl::StatusOr<std::shared_ptr<Channel>> Channel::Create(const ChannelOptions& options) {
  BK_ASSIGN_OR_RETURN(const KeeperAddress address, ParseKeeperAddress(options.address));
  if (!options.token.empty() && !options.token_file.empty()) {
    return absl::InvalidArgumentError(
        "got a token and a token file, want one of them (KEEPER_TOKEN, KEEPER_TOKEN_FILE)");
  }
  BK_RETURN_IF_ERROR(CheckToken("token (KEEPER_TOKEN)", options.token.Reveal()));
  BK_ASSIGN_OR_RETURN(const std::shared_ptr<grpc::ChannelCredentials> credentials,
                      MakeCredentials(options, address));

  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // No look-up of service configurations in the DNS: nobody else sets our retries.
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kMinReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  // A connection a channel: what fills one does not hold up the other.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(kMaxReceivedBytes);

  Secret token = options.token;
  if (!options.token_file.empty()) {
    BK_ASSIGN_OR_RETURN(token, ReadTokenFile(options.token_file));
  }
  const std::string target =
      address.kind == KeeperAddress::Kind::kUnix ? "unix:" + address.target : address.target;
  return std::shared_ptr<Channel>(new Channel(std::make_unique<Rep>(
      options, address, grpc::CreateCustomChannel(target, credentials, arguments),
      std::move(token))));
}

const std::string& Channel::address() const { return rep_->options.address; }

absl::Status Channel::ReloadToken() {
  if (rep_->options.token_file.empty()) return absl::OkStatus();
  BK_ASSIGN_OR_RETURN(Secret token, ReadTokenFile(rep_->options.token_file));
  MutexLock lock(rep_->mu);
  rep_->token = std::move(token);
  return absl::OkStatus();
}

std::shared_ptr<grpc::Channel> GrpcChannel(const Channel& channel) { return channel.rep().channel; }

absl::Status PrepareContext(const Channel& channel, absl::Duration timeout,
                            grpc::ClientContext& context) {
  if (channel.rep().peer) {
    if (const absl::Status proven = channel.rep().peer->Check(); !proven.ok()) {
      return absl::Status(
          proven.code(),
          absl::StrFormat("keeper address `%s`: %s", channel.address(), AsStd(proven.message())));
    }
  }
  if (timeout != absl::InfiniteDuration()) {
    // Monotonic: a step of the wall clock must not end a call.
    context.set_deadline(
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                     gpr_time_from_nanos(absl::ToInt64Nanoseconds(timeout), GPR_TIMESPAN)));
  }
  MutexLock lock(channel.rep().mu);
  if (!channel.rep().token.empty()) {
    context.AddMetadata("authorization", "Bearer " + channel.rep().token.Reveal());
  }
  return absl::OkStatus();
}

absl::Status FromGrpc(const grpc::Status& status, const Channel& channel) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::string said = EscapeForPeople(status.error_message(), kMaxServerTextBytes);
  const std::string& address = channel.address();
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return absl::UnavailableError(
          absl::StrFormat("cannot reach keeperd at `%s`: %s; is it running, and is this its "
                          "address (KEEPER_ADDRESS)?",
                          address, said));
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::DeadlineExceededError(
          absl::StrFormat("keeperd at `%s` did not answer in time: %s", address, said));
    case grpc::StatusCode::UNAUTHENTICATED:
      return absl::UnauthenticatedError(absl::StrFormat(
          "keeperd at `%s` wants a valid token: %s; set KEEPER_TOKEN or KEEPER_TOKEN_FILE", address,
          said));
    case grpc::StatusCode::PERMISSION_DENIED:
      return absl::PermissionDeniedError(
          absl::StrFormat("keeperd at `%s` does not permit this: %s", address, said));
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::UnimplementedError(absl::StrFormat(
          "keeperd at `%s` does not know this call: %s; is it older than this program?", address,
          said));
    default:  // the numbers of the two are the same: the rest says enough itself
      return absl::Status(code, AsAbsl(said));
  }
}

}  // namespace bridgekeeper::clients
