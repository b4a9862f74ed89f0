#include "core/document/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/addresses.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/system/memory.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_log_piece_bytes = std::size_t{1} << 20;
constexpr std::size_t k_before_message_bytes = 256;  ///< Bytes before the message that are searched for the rank in its line
constexpr std::size_t k_max_ooms_compared = 64;      ///< Maximum number of a device's last oom events to compare

/// Chooses the message about one device.
class MessageChoice {
public:
    MessageChoice(const DeviceTrace& trace, std::optional<std::uint32_t> rank) : device_(trace.device), rank_(rank) {
        const EventColumns& events = trace.events;
        for (std::size_t event = events.size(); event-- > 0 && ooms_.size() < k_max_ooms_compared;) {
            if (events.is_oom(event)) ooms_.emplace_back(events.size_bytes[event], events.free_bytes(event));
        }
    }

    void consider(const oom::CardFigures& figures) {
        const bool is_of_other_rank = rank_ && figures.rank && *rank_ != *figures.rank;
        if (figures.device != device_ || is_of_other_rank) return;
        ++fitting_;
        const bool is_of_oom =
            std::ranges::any_of(ooms_, [&](const auto& oom) { return oom::are_of_oom(figures, oom.first, oom.second); });
        const std::pair score(is_of_oom, rank_ && figures.rank);
        if (best_ && score < score_) return;
        best_ = figures;
        score_ = score;
    }

    /// Returns the chosen figures with the reason for the choice; nullopt if no message is about the device.
    std::optional<oom::CardFigures> chosen() const {
        if (!best_) return std::nullopt;
        oom::CardFigures figures = *best_;
        figures.chosen = score_.first    ? "The error is the one of the snapshot's own out-of-memory event."
                         : fitting_ == 1 ? fmt::format("It is the only error in the log about {}.", whose())
                                         : fmt::format("It is the last of {} errors in the log about {}.",
                                                       format_count(fitting_), whose());
        return figures;
    }

    std::string whose() const {
        return score_.second || (!best_ && rank_) ? fmt::format("device {} of rank {}", device_, *rank_)
                                                  : fmt::format("device {}", device_);
    }

private:
    std::int32_t device_;
    std::optional<std::uint32_t> rank_;
    /// Requested and free bytes of each oom event.
    std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>> ooms_;
    std::optional<oom::CardFigures> best_;
    std::pair<bool, bool> score_;
    std::uint64_t fitting_ = 0;
};

std::string_view line_before(std::string_view text, std::size_t at) {
    const std::size_t begin = at - std::min(at, k_before_message_bytes);
    const std::string_view before = text.substr(begin, at - begin);
    const std::size_t line_end = before.find_last_of("\r\n");
    return line_end == std::string_view::npos ? before : before.substr(line_end + 1);
}

/// Calls `look(CardFigures)` for each message of the file, in order. `name` is the name of the file in CardFigures::where.
template <typename Look>
void for_each_message(MappedFile& file, const std::string& name, Look look) {
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    std::ptrdiff_t line = 1;
    std::size_t next = 0, counted = 0;
    const auto count_lines_up_to = [&](std::size_t at) {
        line += std::ranges::count(text.substr(counted, at - counted), '\n');
        counted = at;
    };
    while (next < text.size()) {
        check_stop();
        const std::size_t found = find_text(text.substr(next, k_log_piece_bytes), oom::k_oom_words);
        if (found == std::string_view::npos) {
            if (text.size() - next <= k_log_piece_bytes) break;
            next += k_log_piece_bytes - oom::k_oom_words.size();  // the words may straddle the end of the piece
            count_lines_up_to(next);
            file.release_up_to(next - k_before_message_bytes);
            continue;
        }
        const std::size_t at = next + found;
        next = at + oom::k_oom_words.size();
        std::optional<oom::CardFigures> figures = oom::read_oom_message(text.substr(at));
        if (!figures) continue;
        figures->rank = oom::rank_before_message(line_before(text, at));
        count_lines_up_to(at);
        figures->where = fmt::format("line {} of {}", line, name);
        look(*figures);
    }
}

Error no_message(std::uint64_t messages, const std::vector<MessageChoice>& choices) {
    if (messages == 0)
        return {ErrorCode::bad_file,
                "holds no out-of-memory error of PyTorch (\"CUDA out of memory. Tried to allocate ...\")"};
    std::string whose;
    for (const MessageChoice& choice : choices) whose += (whose.empty() ? "" : ", ") + choice.whose();
    return {ErrorCode::bad_file, fmt::format("holds {} out-of-memory error{} of PyTorch, but none about this snapshot: {}",
                                             format_count(messages), messages == 1 ? "" : "s", whose)};
}

}  // namespace

std::vector<oom::CardFigures> figures_in_log(const std::string& path, const Snapshot& snapshot,
                                             std::optional<std::uint32_t> rank) {
    MappedFile file = value_or_throw(MappedFile::open(path));
    std::vector<MessageChoice> choices;
    for (const DeviceTrace& trace : snapshot.devices) {
        if (!trace.is_host && trace.part.empty()) choices.emplace_back(trace, rank);
    }
    std::uint64_t messages = 0;
    for_each_message(file, display_name(path), [&](const oom::CardFigures& figures) {
        ++messages;
        for (MessageChoice& choice : choices) choice.consider(figures);
    });
    throw_if_error(file.check_still_whole());
    std::vector<oom::CardFigures> figures;
    for (const MessageChoice& choice : choices) {
        if (auto chosen = choice.chosen()) figures.push_back(*std::move(chosen));
    }
    if (figures.empty()) throw Failure{no_message(messages, choices)};
    return figures;
}

std::string recorder_facts_path(const std::string& snapshot_path) {
    constexpr std::string_view k_ending = ".pickle";
    const std::size_t folder_end = snapshot_path.find_last_of("/\\") + 1;
    const std::size_t ending = snapshot_path.rfind(k_ending);
    const bool has_ending = ending != std::string::npos && ending > folder_end;
    return (has_ending ? snapshot_path.substr(0, ending) : snapshot_path) + ".about.json";
}

std::vector<oom::CardFigures> read_card_figures(const std::string& snapshot_path, ImportLog& log) {
    if (is_standard_input(snapshot_path) || is_remote(snapshot_path)) return {};
    const std::string path = recorder_facts_path(snapshot_path);
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return {};
    const Result<std::string> text = read_plain_file(path, oom::k_max_recorder_facts_bytes);
    Result<oom::CardFigures> figures = text ? oom::read_recorder_facts(*text) : Result<oom::CardFigures>(text.error());
    if (!figures) {
        log.add("recorder_facts_unreadable", {}, {display_name(path), figures.error().text()});
        return {};
    }
    figures->where = display_name(path);
    return {*std::move(figures)};
}

}  // namespace snapviewer
