#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// What a reader of `snapviewer serve` asks for, as the address says it.
struct RequestTarget {
    /// The names of folders and files below what is served, outermost first: none of them is empty, hidden, "." or "..", and
    /// none has a separator or a NUL in it.
    std::vector<std::string> names;
    bool ends_with_slash = false;
    /// The names are of files that the program itself is made of in a browser: they stand behind ".page", which is no name
    /// of a file that is served, because hidden ones are not.
    bool is_of_page = false;
    std::map<std::string, std::string> parameters;

    bool has(const std::string& name) const { return parameters.contains(name); }
    /// Empty where there is none.
    std::string parameter(const std::string& name) const;
};

/// Takes "/TOKEN/runs/a%20b.pickle/?device=0" apart. None where the token is not that one, or there can be nothing by such a
/// name. The time does not tell how much of a token was right.
std::optional<RequestTarget> parse_request_target(std::string_view target, std::string_view token);

/// Takes "device=0&view=1%3A2" apart; of several by one name the first counts. None where an escape is broken, a value has a
/// NUL in it, or there are more than a hundred.
std::optional<std::map<std::string, std::string>> parse_query(std::string_view query);

/// As a name in a link: whatever could mean something there is %20.
std::string escaped_for_link(std::string_view text);

/// "?device=0&view=1%3A2"; empty for none.
std::string query_of(const std::map<std::string, std::string>& parameters);

/// Whether a Host header names this machine by its loopback address: "127.0.0.1:8899", "localhost", "[::1]:80".
bool is_loopback_host(std::string_view host);

}  // namespace snapviewer
