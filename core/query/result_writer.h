#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/query/database.h"

namespace snapviewer {

/// Takes text in pieces. Returns whether there can be more.
using TextOutput = std::function<bool(std::string_view)>;

/// Writes rows as CSV or JSON as they come.
class ResultWriter : public RowSink {
public:
    /// To be called after the last row.
    virtual void end() = 0;
};

/// What a CSV file is for: programs, which want texts as they are, or spreadsheets, which take a text that begins with = + -
/// @, a tab or the end of a line for something to be worked out. For those it begins with an apostrophe.
enum class CsvTexts : std::uint8_t { exact, safe };

std::unique_ptr<ResultWriter> make_csv_writer(TextOutput output, CsvTexts texts = CsvTexts::exact);
std::unique_ptr<ResultWriter> make_json_writer(TextOutput output);

}  // namespace snapviewer
