#include "core/load/profilers/ascend/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/base/worker.h"
#include "core/load/profilers/ascend/values.h"
#include "core/load/profilers/probe.h"

namespace snapviewer::ascend {
namespace {

constexpr const char* k_record_table = "MEMORY_RECORD";
/// Minimum number of rows for which a second thread is worth its connection, and minimum number of rows in a piece.
constexpr std::uint64_t k_rows_worth_a_thread = 1 << 16;
constexpr std::uint64_t k_rows_a_piece = 1 << 14;
constexpr std::uint64_t k_most_pieces = 64;
/// Limits the reserved capacity to this multiple of the rows that exist so far.
constexpr std::size_t k_most_growth = 8;

/// The first or last row number ("min" or "max"); nullopt if rows have no numbers.
std::optional<std::int64_t> edge(SqliteFile& file, const char* function) {
    TableRows rows(file, k_record_table, fmt::format("SELECT {}(rowid) FROM {}", function, k_record_table));
    return rows.next() ? rows->stored_integer(0) : std::nullopt;
}

/// Remembers the last two lists, because the rows of two components often alternate.
template <typename Lists>
class RecentLists {
public:
    using Key = typename Lists::key_type;
    explicit RecentLists(Lists& lists) : lists_(lists) {}

    typename Lists::mapped_type& of(const Key& key) {
        if (last_ == nullptr || last_->first != key) {
            std::swap(last_, before_);
            if (last_ == nullptr || last_->first != key) last_ = &*lists_.try_emplace(key).first;
        }
        return last_->second;
    }

private:
    Lists& lists_;
    typename Lists::value_type* last_ = nullptr;
    typename Lists::value_type* before_ = nullptr;
};

}  // namespace

TotalsReading::TotalsReading(SqliteFile& file) : file_(file) {
    sql_ = select_columns(file_, k_record_table,
                          {{"component"},
                           {"timestamp", "time_stamp"},
                           {"totalAllocated", "total_allocated"},
                           {"totalReserved", "total_reserved"},
                           {"totalActive", "total_active"},
                           {"deviceId", "device_id"}});
    cut_into_pieces();
    if (pieces_.size() == 1) return;
    helper_ = begin_beside([this] {
        // If the file cannot be opened again, finish() reads all pieces.
        if (auto own = file_.open_again()) read_pieces(**own);
    });
}

TotalsReading::~TotalsReading() { next_ = pieces_.size(); }

void TotalsReading::cut_into_pieces() {
    pieces_.resize(1);
    // A column with this name would hide the row numbers.
    if (sql_.empty() || file_.find_column(k_record_table, {"rowid"})) return;
    const std::optional<std::int64_t> first = edge(file_, "min");
    const std::optional<std::int64_t> last = edge(file_, "max");
    if (!first || !last || *last < *first) return;
    const std::uint64_t numbers = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
    if (numbers < k_rows_worth_a_thread) return;
    const std::uint64_t count = std::min(numbers / k_rows_a_piece, k_most_pieces);
    pieces_ = std::vector<Piece>(count);
    std::string from;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto end = static_cast<std::int64_t>(static_cast<std::uint64_t>(*first) + numbers / count * (i + 1));
        const std::string to = i + 1 < count ? fmt::format("rowid < {}", end) : "";
        pieces_[i].condition = fmt::format(" WHERE {}{}{}", from, from.empty() || to.empty() ? "" : " AND ", to);
        from = fmt::format("rowid >= {}", end);
    }
}

void TotalsReading::read_pieces(SqliteFile& file) {
    for (std::size_t i = next_++; i < pieces_.size(); i = next_++) {
        report_done(i, pieces_.size());
        read_piece(file, pieces_[i]);
        const std::lock_guard lock(mutex_);
        pieces_[i].is_read = true;
        collect();
    }
}

void TotalsReading::read_piece(SqliteFile& file, Piece& piece) const {
    TableRows rows(file, k_record_table, sql_.empty() ? sql_ : sql_ + piece.condition);
    RecentLists lists(piece.rows);
    while (rows.next()) {
        const auto stored = rows->stored_integer(1);
        if (stored) keep_first(piece.first_ns, *stored);
        const auto time = moment(*rows, 1);
        if (!time) continue;
        const std::int64_t component = whole_number(*rows, 0).value_or(k_no_string);
        lists.of({device_number(*rows, 5), component})
            .push_back({*time, whole_number(*rows, 2).value_or(0), whole_number(*rows, 3).value_or(0),
                        whole_number(*rows, 4).value_or(0)});
    }
    piece.damage = rows.damage();
}

/// Appends the rows of all pieces before the first unread one and frees the pieces, so that few rows are in memory twice.
void TotalsReading::collect() {
    for (; !damage_ && collected_ < pieces_.size() && pieces_[collected_].is_read; ++collected_) {
        const Piece piece = std::move(pieces_[collected_]);
        for (const auto& [key, rows] : piece.rows) {
            std::vector<TotalsRow>& all = all_[key];
            const std::size_t count = all.size() + rows.size();
            // Reserves space for all pieces, assuming that they are alike. Unused capacity takes address space but no
            // memory.
            if (count > all.capacity())
                all.reserve(std::min(k_most_growth * count, count * pieces_.size() / (collected_ + 1)));
            all.insert(all.end(), rows.begin(), rows.end());
        }
        if (piece.first_ns) keep_first(first_ns_, *piece.first_ns);
        damage_ = piece.damage;
    }
}

RawTotals TotalsReading::finish(ImportLog& log) {
    read_pieces(file_);
    if (helper_.valid()) helper_.get();
    if (damage_) note_damage(log, k_record_table, *damage_);
    return std::move(all_);
}

}  // namespace snapviewer::ascend
