#include "core/trace/stack_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_fnv_start = 0xcbf29ce484222325ULL;
constexpr std::uint64_t k_fnv_prime = 0x100000001b3ULL;

/// Continues an FNV-1a hash with more bytes.
std::uint64_t fnv1a_on(std::uint64_t hash, std::string_view bytes) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * k_fnv_prime;
    return hash;
}

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != text.npos; });
}

std::string forward_slashes(std::string_view file) {
    std::string path(file);
    std::ranges::replace(path, '\\', '/');
    return path;
}

/// The offset after "/lib/python3.N/" or "/lib64/python3/", the folder of the standard library, in a path; or npos.
std::size_t end_of_standard_library(std::string_view path) {
    for (std::size_t at = path.find("/lib"); at != path.npos; at = path.find("/lib", at + 1)) {
        std::size_t next = at + 4;
        if (path.substr(next).starts_with("64")) next += 2;
        if (!path.substr(next).starts_with("/python3")) continue;
        next += 8;
        if (next + 1 < path.size() && path[next] == '.' && is_digit(path[next + 1])) {
            ++next;
            while (next < path.size() && is_digit(path[next])) ++next;
        }
        if (next < path.size() && path[next] == '/') return next + 1;
    }
    return path.npos;
}

/// The last position of `mark` in `path`, ignoring case, or npos. `mark` must be in lower case.
std::size_t last_of_any_case(std::string_view path, std::string_view mark) {
    const auto same = [](char a, char b) { return lower_case(a) == b; };
    const auto found = std::find_end(path.begin(), path.end(), mark.begin(), mark.end(), same);
    return found == path.end() ? path.npos : static_cast<std::size_t>(found - path.begin());
}

/// True if a path, given in lower case, is in the standard library of Python for Windows: "/python311/lib/".
bool in_windows_library(std::string_view path) {
    constexpr std::string_view k_python = "/python3";
    for (std::size_t at = path.find(k_python); at != path.npos; at = path.find(k_python, at + 1)) {
        std::size_t end = at + k_python.size();
        while (end < path.size() && is_digit(path[end])) ++end;
        if (end > at + k_python.size() && path.substr(end).starts_with("/lib/")) return true;
    }
    return false;
}

/// True if a folder of the path is one in which a compiler stores generated code.
bool in_folder_of_generated_code(std::string_view path) {
    static constexpr auto k_folders =
        text_array("torchinductor", "inductor_cache", "torch_compile_cache", "triton_cache", ".triton");
    for (std::size_t begin = 0, end = path.find('/'); end != path.npos; begin = end + 1, end = path.find('/', begin)) {
        const std::string_view folder = path.substr(begin, end - begin);
        if (folder.starts_with("torchinductor_") || std::ranges::find(k_folders, folder) != k_folders.end()) return true;
    }
    return false;
}

/// True for names of files that Inductor generates: ".../xy/cxy", 49 more characters of base 32, and ".py".
bool is_named_by_inductor(std::string_view path) {
    constexpr std::size_t k_tail = 49;
    constexpr std::size_t k_length = 1 + 2 + 1 + 1 + 2 + k_tail + 3;
    if (path.size() < k_length) return false;
    path = path.substr(path.size() - k_length);
    const auto in_folder_name = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
    const auto in_tail = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
    const std::string_view folder = path.substr(1, 2);
    return path[0] == '/' && std::ranges::all_of(folder, in_folder_name) && path.substr(3, 2) == "/c" &&
           path.substr(5, 2) == folder && std::ranges::all_of(path.substr(7, k_tail), in_tail) && path.ends_with(".py");
}

bool is_generated_file(std::string_view path) { return in_folder_of_generated_code(path) || is_named_by_inductor(path); }

/// True for code that the user typed into a notebook or at a prompt, which is not in any file.
bool was_typed_in(std::string_view path) { return path.starts_with("<ipython-input-") || path.starts_with("<stdin>"); }

/// True for functions between user code and the code that it calls, such as wrappers.
bool is_plumbing(std::string_view function) {
    static constexpr auto k_plumbing = text_array("<module>", "<lambda>", "_call_impl", "_wrapped_call_impl", "inner");
    return std::ranges::find(k_plumbing, function) != k_plumbing.end();
}

/// The autograd node in the name of a C++ function, if any: "MmBackward0" for "...::MmBackward0::apply(...)".
std::optional<std::string_view> backward_node(std::string_view function) {
    for (std::size_t end = function.find("::apply"); end != function.npos; end = function.find("::apply", end + 1)) {
        std::size_t begin = end;
        while (begin > 0 && is_word_character(function[begin - 1])) --begin;
        const std::string_view name = function.substr(begin, end - begin);
        std::string_view stem = name;
        while (!stem.empty() && is_digit(stem.back())) stem.remove_suffix(1);
        constexpr std::string_view k_backward = "Backward";
        if (stem.ends_with(k_backward) && stem.size() > k_backward.size()) return name;
        constexpr std::string_view k_accumulate = "AccumulateGrad";
        if (name.ends_with(k_accumulate)) return name.substr(name.size() - k_accumulate.size());
    }
    return std::nullopt;
}

/// The operator in the name of a C++ function, if any: "at::_ops::mul" for "at::_ops::mul::call(...)".
std::optional<std::string_view> operator_called(std::string_view function) {
    constexpr std::string_view k_operators = "at::_ops::";
    for (std::size_t at = function.find(k_operators); at != function.npos; at = function.find(k_operators, at + 1)) {
        std::size_t end = at + k_operators.size();
        const std::size_t name = end;
        while (end < function.size() && is_word_character(function[end])) ++end;
        if (end > name && function.substr(end).starts_with("::call")) return function.substr(at, end - at);
    }
    return std::nullopt;
}

bool is_allocating(std::string_view function) {
    static constexpr auto k_allocating = text_array("CUDACachingAllocator", "CachingDeviceAllocator", "at::detail::empty",
                                                    "NPUCachingAllocator", "unwind", "Traceback");
    return has_any(function, k_allocating);
}

bool is_hidden_function(std::string_view function) {
    static constexpr auto k_functions = text_array("unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp",
                                                   "_start", "__libc_start_main", "PyEval_", "PyObject_", "PyFunction_");
    return has_any(function, k_functions);
}

bool is_hidden_file(std::string_view file) {
    static constexpr auto k_files =
        text_array("core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c",
                   "Objects/methodobject.c", "pycore_ceval.h", "ceval.c", "cpython/abstract.h");
    return has_any(file, k_files);
}

/// True if a result of normal_path() belongs to code that starts programs.
bool is_launcher_path(std::string_view path) {
    static constexpr auto k_launchers =
        text_array("<frozen runpy>", "<string>", "python/runpy.py", "python/threading.py", "python/multiprocessing/",
                   "python/asyncio/", "torch/multiprocessing/", "torch/distributed/run.py", "torch/distributed/launch",
                   "torch/distributed/elastic/", "accelerate/commands/", "ipykernel", "IPython/");
    return std::ranges::any_of(k_launchers, [&](std::string_view begin) { return path.starts_with(begin); });
}

/// The form of a text in a key. A text longer than any name is replaced by its hash, so that later hashing is cheap.
std::string hashed_text(std::string_view text) {
    constexpr std::size_t k_max_name_bytes = 16 << 10;
    return text.size() <= k_max_name_bytes ? std::string(text) : key_text(fnv1a(text));
}

/// The innermost frame of the smallest rank, among those that are not hidden unless all are. none() for no frames.
template <typename IsHidden, typename Rank>
FrameId best_frame(std::span<const FrameId> frames, IsHidden is_hidden, Rank rank) {
    const bool all_hidden = std::ranges::all_of(frames, is_hidden);
    FrameId best = FrameId::none();
    for (const FrameId id : frames) {
        if (is_hidden(id) && !all_hidden) continue;
        if (!best.is_some() || rank(id) < rank(best)) best = id;
    }
    return best;
}

}  // namespace

bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

bool is_python_file(std::string_view file) {
    if (file.ends_with(".py") || file.ends_with(".pyx") || file.ends_with(".ipynb")) return true;
    if (file.starts_with("<eval_with_key>")) return true;
    return file.starts_with('<') && file.ends_with('>') && file != "<unknown>";
}

bool is_own_file(std::string_view file) {
    if (!is_python_file(file)) return false;
    const std::string path = forward_slashes(file);
    if (path.starts_with('<')) return was_typed_in(path);
    const std::string lowered = lower_case(path);
    static constexpr std::array<std::string_view, 2> k_installed = {"/site-packages/", "/dist-packages/"};
    const bool is_installed =
        has_any(lowered, k_installed) || end_of_standard_library(lowered) != path.npos || in_windows_library(lowered);
    return !is_installed && !is_generated_file(path) && !path.starts_with("torch/");
}

bool is_hidden_frame(std::string_view file, std::string_view function) {
    return is_hidden_function(function) || is_hidden_file(file);
}

std::string normal_path(std::string_view file) {
    std::string path = forward_slashes(file);
    for (const std::string_view mark : {"/site-packages/", "/dist-packages/"}) {
        const std::size_t at = last_of_any_case(path, mark);
        if (at != path.npos) return path.substr(at + mark.size());
    }
    const std::size_t at = end_of_standard_library(path);
    if (at != path.npos) return "python/" + path.substr(at);
    if (path.starts_with('<')) return path;
    return path.substr(path.rfind('/') + 1);
}

bool is_own_frame(const StringPool& strings, const Frame& frame) {
    return frame.original.file.is_some() || is_own_file(strings.view(frame.file));
}

Frame naming_frame(const Frame& frame) {
    const OriginalLine& original = frame.original;
    if (!original.file.is_some()) return frame;
    return {original.file, original.function.is_some() ? original.function : frame.function, original.line, frame.fx,
            original};
}

std::uint64_t fnv1a(std::string_view bytes) { return fnv1a_on(k_fnv_start, bytes); }

std::string key_text(std::uint64_t key) { return fmt::format("{:016x}", key); }

const FrameTexts::File& FrameTexts::file(FrameId id) { return file(snapshot_.stacks.frame(id).file); }

const FrameTexts::File& FrameTexts::file(StringId name) {
    const auto [known, is_new] = files_.try_emplace(name.value);
    if (is_new) {
        const std::string_view text = snapshot_.strings.view(name);
        known->second = {is_hidden_file(text), is_python_file(text), is_own_file(text), false, normal_path(text), ""};
        known->second.is_launcher = is_launcher_path(known->second.path);
        known->second.hashed = hashed_text(known->second.path);
    }
    return known->second;
}

const FrameTexts::Function& FrameTexts::function(FrameId id) { return function(snapshot_.stacks.frame(id).function); }

const FrameTexts::Function& FrameTexts::function(StringId name) {
    const auto [known, is_new] = functions_.try_emplace(name.value);
    if (is_new) {
        const std::string_view text = snapshot_.strings.view(name);
        const std::array<bool, 3> from_the_best = {backward_node(text).has_value(), operator_called(text).has_value(),
                                                   !is_allocating(text)};
        const auto rank = std::ranges::find(from_the_best, true) - from_the_best.begin();
        known->second = {is_hidden_function(text), is_plumbing(text), static_cast<std::uint8_t>(rank), hashed_text(text)};
    }
    return known->second;
}

std::uint8_t FrameTexts::rank(FrameId id) {
    const File& in = file(id);
    const Function& called = function(id);
    const bool is_plumbing = function(naming_frame(snapshot_.stacks.frame(id)).function).is_plumbing;
    const bool is_own = this->is_own(id);
    const std::array<bool, 4> from_the_best = {is_own && !is_plumbing, is_own, in.is_python && !is_plumbing, in.is_python};
    const auto rank = static_cast<std::uint8_t>(std::ranges::find(from_the_best, true) - from_the_best.begin());
    return rank < from_the_best.size() ? rank : static_cast<std::uint8_t>(rank + called.native_rank);
}

std::string FrameTexts::normal_line(FrameId id, bool with_number) {
    return fmt::format("{}:{}:{}", file(id).hashed, with_number ? snapshot_.stacks.frame(id).written_line() : 0,
                       function(id).hashed);
}

std::string FrameTexts::source(FrameId id) {
    const Frame frame = naming_frame(snapshot_.stacks.frame(id));
    const std::string_view function = snapshot_.strings.view(frame.function);
    const auto cut = [](std::string_view text) { return shortened(text, limits::k_max_source_bytes); };
    if (const File& in = file(frame.file); in.is_python) {
        return fmt::format("{}@{}:{}", cut(function), cut(in.path), frame.written_line());
    }
    if (const auto node = backward_node(function)) return cut(*node);
    if (const auto called = operator_called(function)) return cut(*called);
    const std::string_view name = function.substr(0, function.find('('));
    return cut(name.empty() ? function : name);
}

FrameId own_line(const Snapshot& snapshot, StackId stack) {
    FrameTexts texts(snapshot);
    return best_frame(
        snapshot.stacks.stack(stack), [&](FrameId id) { return texts.is_hidden(id); },
        [&](FrameId id) { return texts.rank(id); });
}

const OwnLines::CachedFrame& OwnLines::examine(FrameId frame) {
    CachedFrame& cached = frame_info_[frame.value];
    if (!cached.is_known) cached = {true, texts_.is_hidden(frame), texts_.rank(frame)};
    return cached;
}

FrameId OwnLines::of(StackId stack) {
    return best_frame(
        snapshot_.stacks.stack(stack), [&](FrameId id) { return examine(id).is_hidden; },
        [&](FrameId id) { return examine(id).rank; });
}

std::string line_source(const Snapshot& snapshot, FrameId id) { return FrameTexts(snapshot).source(id); }

std::string stack_source(const Snapshot& snapshot, StackId stack) {
    const FrameId line = own_line(snapshot, stack);
    return line.is_some() ? line_source(snapshot, line) : "(no stack)";
}

StackKeys::StackKeys(const Snapshot& snapshot, StackIdentity identity)
    : snapshot_(snapshot), identity_(identity), texts_(snapshot), lines_(snapshot.stacks.frame_count()) {}

const StackKeys::Line& StackKeys::line(FrameId id) {
    Line& line = lines_[id.value];
    if (line.is_known) return line;
    std::string text = texts_.normal_line(id, identity_ != StackIdentity::functions);
    line = {true, texts_.is_hidden(id), texts_.file(id).is_python, std::move(text)};
    return line;
}

std::uint64_t StackKeys::key(StackId stack) {
    const std::span<const FrameId> frames = snapshot_.stacks.stack(stack);
    const auto is_any = [&](bool Line::*what, bool wanted) {
        return std::ranges::any_of(frames, [&](FrameId id) { return line(id).*what == wanted; });
    };
    const bool is_python = identity_ == StackIdentity::python && is_any(&Line::is_python, true);
    const bool is_shown = !is_python && is_any(&Line::is_hidden, false);
    std::uint64_t hash = 0;
    bool is_first = true;
    check_stop();
    for (const FrameId id : frames) {
        const Line& each = line(id);
        if ((is_python && !each.is_python) || (is_shown && each.is_hidden)) continue;
        hash = is_first ? k_fnv_start : fnv1a_on(hash, "\n");
        is_first = false;
        hash = fnv1a_on(hash, each.text);
    }
    return hash;
}

const std::string& StackLines::source(StackId stack) const {
    const FrameId line = own_line(stack);
    return sources_[line.is_some() ? source_of_[line.value] : 0];
}

StackLines StackLines::build(const Snapshot& snapshot) {
    StackLines lines;
    FrameTexts texts(snapshot);
    StackKeys keys(snapshot, StackIdentity::lines);
    const std::size_t frame_count = snapshot.stacks.frame_count();
    lines.frame_info_.reserve(frame_count);
    for (std::uint32_t i = 0; i < frame_count; ++i) {
        if (i % 1024 == 0) check_stop();
        const FrameTexts::File& file = texts.file(FrameId{i});
        lines.frame_info_.push_back({texts.is_hidden(FrameId{i}), file.is_python, texts.is_own(FrameId{i}), file.is_launcher,
                                     texts.rank(FrameId{i})});
    }
    lines.source_of_.resize(frame_count);
    for (std::uint32_t i = 0; i < snapshot.stacks.stack_count(); ++i) {
        if (i % 256 == 0) check_stop();
        const FrameId best = best_frame(
            snapshot.stacks.stack(StackId{i}), [&](FrameId id) { return lines.is_hidden(id); },
            [&](FrameId id) { return lines.frame_info_[id.value].rank; });
        lines.keys_.push_back(keys.key(StackId{i}));
        lines.own_lines_.push_back(best);
        if (best.is_some() && lines.source_of_[best.value] == 0) {
            lines.source_of_[best.value] = static_cast<std::uint32_t>(lines.sources_.size());
            lines.sources_.push_back(texts.source(best));
        }
    }
    return lines;
}

}  // namespace snapviewer
