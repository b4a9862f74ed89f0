#pragma once

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

std::unique_ptr<ResultWriter> make_csv_writer(TextOutput output);
std::unique_ptr<ResultWriter> make_json_writer(TextOutput output);

}  // namespace snapviewer
