#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/load/zip_archive.h"

namespace snapviewer {

/// What every SAX reader of ours shares: where it is, and how it fails. `Derived` handles the events of nlohmann's
/// interface.
class JsonSax {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    explicit JsonSax(ZipMemberReader& member) : member_(member) {}

    bool binary(binary_t&) { reject("a value that JSON does not have"); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
        const std::string_view text = error.what();
        const std::size_t detail = text.rfind(": ");
        const bool cut = member_.peek() < 0;
        fail(cut ? "is JSON that is cut short"
                 : "is not valid JSON (" + std::string(detail == text.npos ? text : text.substr(detail + 2)) + ")",
             position, "member " + member_.name());
    }
    [[noreturn]] void reject(const std::string& what) const {
        fail("holds " + what, member_.offset(), "member " + member_.name());
    }

private:
    ZipMemberReader& member_;
};

/// Feeds a member's text to a handler.
template <typename Handler>
void parse_member(ZipMemberReader& member, Handler& handler) {
    nlohmann::json::sax_parse(ZipMemberIterator(member), ZipMemberIterator(), &handler);
}

}  // namespace snapviewer
