#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/query/database.h"

namespace snapviewer {

/// Receives text in pieces. Returns whether to continue.
using TextOutput = std::function<bool(std::string_view)>;

/// Writes rows as CSV or JSON while they arrive.
class ResultWriter : public RowSink {
public:
    /// Must be called after the last row.
    virtual void end() = 0;
};

/// How texts are written to a CSV file. `exact` keeps them unchanged, for programs. `safe` is for spreadsheets, which
/// evaluate a text that begins with = + - @, a tab or a line break as a formula: such a text gets a leading apostrophe.
enum class CsvTexts : std::uint8_t { exact, safe };

std::unique_ptr<ResultWriter> make_csv_writer(TextOutput output, CsvTexts texts = CsvTexts::exact);
std::unique_ptr<ResultWriter> make_json_writer(TextOutput output);

}  // namespace snapviewer
