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

/// Rows of MEMORY_RECORD by device and by the id of the component's name, in the order of the file.
using RawTotals = std::map<std::pair<std::int32_t, std::int64_t>, std::vector<TotalsRow>>;

/// Reads MEMORY_RECORD, which has several rows for each block. A large table is read in pieces on two threads: a background
/// thread that the constructor starts, and the calling thread in finish(). `file` must outlive this object.
class TotalsReading {
public:
    explicit TotalsReading(SqliteFile& file);
    ~TotalsReading();
    TotalsReading(const TotalsReading&) = delete;
    TotalsReading& operator=(const TotalsReading&) = delete;

    /// Returns all rows before the first one that cannot be read, and logs that error. Throws Failure if the error ends the
    /// load.
    RawTotals finish(ImportLog& log);
    /// The earliest positive time in the table. Call this after finish().
    std::optional<std::int64_t> first_ns() const { return first_ns_; }

private:
    struct Piece {
        std::string condition;  ///< SQL condition that selects the piece's rows
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
    std::mutex mutex_;           ///< Guards the members below and the pieces that have been read.
    std::size_t collected_ = 0;  ///< number of pieces, from the first, whose rows are in `all_`
    RawTotals all_;              ///< rows of the collected pieces
    std::optional<std::int64_t> first_ns_;
    std::optional<Error> damage_;  ///< Error of the last collected piece; the pieces after it are ignored.
    std::future<void> helper_;
};

}  // namespace snapviewer::ascend
