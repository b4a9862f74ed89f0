#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// How much a finding matters, from "good to know" to "part of the file is not shown".
enum class Severity : std::uint8_t { info, notice, data_loss, error };

const char* severity_text(Severity severity);  ///< "info", "notice", "data_loss", "error"

/// One kind of oddity and how often it came.
struct ImportFinding {
    Severity severity = Severity::info;
    std::string code;                           ///< stable, for scripts: "alloc_on_open_address"
    std::string message;                        ///< for people
    std::uint64_t count = 1;                    ///< how often it happened
    std::optional<std::uint64_t> first_offset;  ///< byte in the file (or event number, as the message says) of the first
};

/// What was odd about a file but did not stop it from opening: a banner in the window, a line on stderr, a table in SQL.
class ImportLog {
public:
    /// Findings with the same code are counted, not repeated; the first offset and message stay.
    void add(Severity severity, std::string_view code, std::string_view message,
             std::optional<std::uint64_t> offset = std::nullopt, std::uint64_t count = 1);
    const std::vector<ImportFinding>& findings() const { return findings_; }

private:
    std::vector<ImportFinding> findings_;
};

}  // namespace snapviewer
