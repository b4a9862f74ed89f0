#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/import_log.h"
#include "core/base/result.h"
#include "core/load/profilers/ascend/records.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer::ascend {

/// Rows of MEMORY_RECORD by device and the id of the component's name, in the order of the file.
using RawTotals = std::map<std::pair<std::int32_t, std::int64_t>, std::vector<TotalsRow>>;

/// Reads MEMORY_RECORD, which has several rows for each block: a large one in pieces, on a thread of its own from the moment
/// that this is made, and on the caller's too once it calls finish(). The file must outlive it.
class TotalsReading {
public:
    explicit TotalsReading(SqliteFile& file);
    ~TotalsReading();
    TotalsReading(const TotalsReading&) = delete;
    TotalsReading& operator=(const TotalsReading&) = delete;

    /// All rows up to the first that cannot be read, of which the log is told. Throws Failure where that ends the load.
    RawTotals finish(ImportLog& log);
    /// After finish(): the earliest time that is stored as a positive number.
    std::optional<std::int64_t> first_ns() const { return first_ns_; }

private:
    struct Piece {
        std::string condition;  ///< of its rows
        RawTotals rows;
        std::optional<std::int64_t> first_ns;
        std::optional<Error> damage;
        bool is_read = false;
    };

    void cut_into_pieces();
    void read_pieces(SqliteFile& file);
    void read_piece(SqliteFile& file, Piece& piece) const;
    void collect();

    SqliteFile& file_;
    std::string sql_;
    std::vector<Piece> pieces_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;           ///< for what follows, and for pieces that are read
    std::size_t collected_ = 0;  ///< so many pieces, from the first
    RawTotals all_;              ///< their rows
    std::optional<std::int64_t> first_ns_;
    std::optional<Error> damage_;  ///< of the last of them: nothing behind it counts
    std::future<void> helper_;
};

}  // namespace snapviewer::ascend
