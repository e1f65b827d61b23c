// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Servers behind an https URL: who is spoken to, and who is not.

#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "clients/bridge/upstream/http_transport_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::HasSubstr;

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freed<X509, X509_free>>;
using ContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;

KeyPtr NewKey() { return KeyPtr(EVP_EC_gen("P-256")); }

// A certificate of `key`, signed by itself where there is no issuer. `names`: as in
// "DNS:localhost,IP:127.0.0.1"; `days` from now until it ends.
CertificatePtr NewCertificate(EVP_PKEY* key, const std::string& names, X509* issuer,
                              EVP_PKEY* issuer_key, int days = 1) {
  CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  static int serial = 0;
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3 * 86400);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), days * 86400);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const std::string text = issuer == nullptr ? "test authority" : "test server";
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(),
                       issuer == nullptr ? subject : X509_get_subject_name(issuer));
  X509_set_pubkey(certificate.get(), key);
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer == nullptr ? certificate.get() : issuer, certificate.get(),
                 nullptr, nullptr, 0);
  const auto extend = [&](int nid, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    ASSERT_NE(extension, nullptr) << value;
    X509_add_ext(certificate.get(), extension, -1);
    X509_EXTENSION_free(extension);
  };
  if (issuer == nullptr) extend(NID_basic_constraints, "critical,CA:TRUE");
  if (!names.empty()) extend(NID_subject_alt_name, names);
  EXPECT_GT(X509_sign(certificate.get(), issuer == nullptr ? key : issuer_key, EVP_sha256()), 0);
  return certificate;
}

// Speaks TLS in front of a server, and hands on what is inside.
class TlsFront {
 public:
  TlsFront(const FakeHttpServer& behind, EVP_PKEY* key, X509* certificate, int max_version)
      : behind_(behind.port()), context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_set_security_level(context_.get(), 0);
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), max_version);
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), certificate), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), key), 1);
    listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_.get(), 16), 0);
    EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] {
      while (true) {
        UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (fd.get() < 0) return;
        connections_.emplace_back();
        connections_.back() = std::thread(
            [this, moved = std::make_shared<UniqueFd>(std::move(fd))] { Serve(moved->get()); });
      }
    });
  }
  ~TlsFront() {
    closing_ = true;
    shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& connection : connections_) connection.join();
  }
  uint16_t port() const { return port_; }
  int greeted() const { return greeted_; }

 private:
  void Serve(int fd) {
    const SslPtr ssl(SSL_new(context_.get()));
    SSL_set_fd(ssl.get(), fd);
    if (SSL_accept(ssl.get()) != 1) return;
    ++greeted_;
    UniqueFd inner(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(behind_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(inner.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
    char bytes[16384];
    while (!closing_) {
      pollfd ready[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                        {.fd = inner.get(), .events = POLLIN, .revents = 0}};
      if (SSL_pending(ssl.get()) == 0 && poll(ready, 2, 20) <= 0) continue;
      if (SSL_pending(ssl.get()) > 0 || ready[0].revents != 0) {
        const int n = SSL_read(ssl.get(), bytes, sizeof bytes);
        if (n <= 0 || send(inner.get(), bytes, static_cast<size_t>(n), MSG_NOSIGNAL) != n) return;
      }
      if (ready[1].revents != 0) {
        const ssize_t n = recv(inner.get(), bytes, sizeof bytes, 0);
        if (n <= 0 || SSL_write(ssl.get(), bytes, static_cast<int>(n)) != n) return;
      }
    }
  }

  const uint16_t behind_;
  const ContextPtr context_;
  UniqueFd listener_;
  uint16_t port_ = 0;
  std::atomic<bool> closing_ = false;
  std::atomic<int> greeted_ = 0;
  std::thread acceptor_;
  std::list<std::thread> connections_;
};

// Whether a client that takes every version and any certificate is greeted.
bool GreetsOldClients(uint16_t port) {
  const ContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
  const SslPtr ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), fd.get());
  return SSL_connect(ssl.get()) == 1;
}

struct TlsRow {
  std::string name;
  std::string host = "localhost";
  std::string names = "DNS:localhost,IP:127.0.0.1";
  int days = 1;
  int max_version = TLS1_3_VERSION;
  bool is_of_authority = true;
  bool has_ca_file = true;
  std::string want = "";  // in the reason; empty: it is spoken to
};
class TlsTest : public ::testing::TestWithParam<TlsRow> {};

TEST_P(TlsTest, SpeaksOnlyToWhomItShould) {
  const TlsRow& row = GetParam();
  const KeyPtr authority_key = NewKey();
  const CertificatePtr authority = NewCertificate(authority_key.get(), "", nullptr, nullptr);
  const KeyPtr other_key = NewKey();
  const CertificatePtr other = NewCertificate(other_key.get(), "", nullptr, nullptr);
  const KeyPtr key = NewKey();
  const CertificatePtr certificate =
      row.is_of_authority
          ? NewCertificate(key.get(), row.names, authority.get(), authority_key.get(), row.days)
          : NewCertificate(key.get(), row.names, other.get(), other_key.get(), row.days);
  // A name of its own: two runs may share the folder.
  std::string ca_file = ::testing::TempDir() + "/ca-XXXXXX";
  FILE* out = fdopen(mkstemp(ca_file.data()), "w");
  ASSERT_NE(out, nullptr);
  ASSERT_EQ(PEM_write_X509(out, authority.get()), 1);
  fclose(out);

  FakeHttpServer server;
  const TlsFront front(server, key.get(), certificate.get(), row.max_version);
  UrlClient client(absl::StrFormat("https://%s:%d/mcp", row.host, front.port()),
                   [&](HttpTransportOptions& options) {
                     if (row.has_ca_file) options.ca_file = ca_file;
                   });
  if (row.want.empty()) {
    EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("done"));
    client.Stop();
    EXPECT_EQ(server.CountOf("DELETE"), 1u);
    return;
  }
  ASSERT_TRUE(support::WaitUntil([&] { return client.status().ends > 0; }));
  EXPECT_THAT(client.status().last_end, HasSubstr(row.want));
  client.Stop();
  // Nothing was said, no credential either.
  EXPECT_TRUE(server.requests().empty());
  if (row.max_version < TLS1_2_VERSION) {
    // The version is why: the front greets a client that takes an old one.
    EXPECT_EQ(front.greeted(), 0);
    EXPECT_TRUE(GreetsOldClients(front.port()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    HttpTransport, TlsTest,
    ::testing::Values(
        TlsRow{.name = "ItsName"}, TlsRow{.name = "ItsAddress", .host = "127.0.0.1"},
        TlsRow{.name = "Tls12", .max_version = TLS1_2_VERSION},
        TlsRow{.name = "AnotherName", .names = "DNS:other.example", .want = "hostname mismatch"},
        TlsRow{.name = "AnotherAddress",
               .host = "127.0.0.1",
               .names = "DNS:localhost,IP:127.0.0.2",
               .want = "IP address mismatch"},
        TlsRow{.name = "NameAsPartOfAWildcard", .names = "DNS:local*", .want = "hostname mismatch"},
        TlsRow{.name = "Expired", .days = -1, .want = "certificate has expired"},
        TlsRow{.name = "AnotherAuthority",
               .is_of_authority = false,
               .want = "its certificate is refused"},
        TlsRow{.name = "OnlyTheSystemsAuthorities",
               .has_ca_file = false,
               .want = "its certificate is refused"},
        TlsRow{.name = "Tls11", .max_version = TLS1_1_VERSION, .want = "it cannot be reached"}),
    [](const auto& row) { return row.param.name; });

TEST(HttpTransport, AFileWithoutAuthoritiesIsAnErrorAtTheStart) {
  boost::asio::io_context io;
  const RealClock clock;
  RandomIdSource ids;
  FakeLogger log;
  EXPECT_THAT(MakeHttpTransport(io,
                                {.name = "far",
                                 .url = *ParseServerUrl("https://localhost/"),
                                 .ca_file = "/dev/null",
                                 .version = "0",
                                 .fields = nullptr},
                                clock, ids, log),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/dev/null")));
}

}  // namespace
}  // namespace bridgekeeper::bridge
