#include "core/timeline/modules.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/trace/annotations.h"

namespace snapviewer {
namespace {

constexpr std::array<const char*, k_module_roles> k_role_names = {"parameter", "gradient", "buffer", "optimizer", "other"};
constexpr std::string_view k_wrapped_by_ddp = "module";
constexpr std::array<std::string_view, 3> k_wrappers = {"_fsdp_wrapped_module", "_orig_mod", "_checkpoint_wrapped_module"};

bool is_number(std::string_view name) { return !name.empty() && std::ranges::all_of(name, is_digit); }

bool is_identifier(std::string_view name) {
    const auto is_of_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_of_name);
}

/// Splits a path into its names; nullopt if the text is not a path.
std::optional<std::vector<std::string_view>> module_names_of_path(std::string_view text) {
    if (text.size() > k_max_module_path) return std::nullopt;
    std::vector<std::string_view> names;
    while (names.size() < k_max_module_depth) {
        const std::string_view name = text.substr(0, text.find('.'));
        if (!is_identifier(name) && !is_number(name)) return std::nullopt;
        names.push_back(name);
        if (name.size() == text.size()) return names;
        text.remove_prefix(name.size() + 1);
    }
    return std::nullopt;
}

void leave_out_wrappers(std::vector<std::string_view>& names) {
    std::erase_if(names, [](std::string_view name) { return std::ranges::find(k_wrappers, name) != k_wrappers.end(); });
    names.erase(names.begin(), std::ranges::find_if(names, [](std::string_view name) { return name != k_wrapped_by_ddp; }));
}

/// Removes `word` from the beginning of the text. Returns false if the text does not begin with it.
bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

bool take_number(std::string_view& text) {
    const std::string_view digits = digits_at(text, 0);
    text.remove_prefix(digits.size());
    return !digits.empty();
}

/// True for a text such as "group 1, parameter 2.exp_avg", which `sv.annotate` writes for the optimizer state of a parameter
/// that belongs to no module of the model.
bool is_state_without_module(std::string_view text) {
    return take(text, "group ") && take_number(text) && take(text, ", parameter ") && take_number(text) && take(text, ".") &&
           is_identifier(text);
}

std::optional<ModuleText> read_tensor_text(ModuleRole role, std::string_view path) {
    if (role == ModuleRole::optimizer && is_state_without_module(path)) return ModuleText{role, false, {}};
    const std::size_t own_names = role == ModuleRole::optimizer ? 2 : 1;  // the name of the tensor, and that of the state
    auto names = module_names_of_path(path);
    if (!names || names->size() < own_names) return std::nullopt;
    names->resize(names->size() - own_names);
    leave_out_wrappers(*names);
    return ModuleText{role, true, std::move(*names)};
}

bool is_module_path(const std::vector<std::string_view>& names) { return !std::ranges::all_of(names, is_number); }

}  // namespace

const char* module_role_name(ModuleRole role) { return k_role_names[static_cast<std::size_t>(role)]; }

std::optional<ModuleText> read_module_text(std::string_view text, bool has_single_names) {
    for (std::size_t i = 0; i < k_module_roles; ++i) {
        const auto role = static_cast<ModuleRole>(i);
        std::string_view path = text;
        if (role != ModuleRole::other && take(path, module_role_name(role)) && take(path, ": "))
            return read_tensor_text(role, path);
    }
    auto names = module_names_of_path(text);
    if (!names || !is_module_path(*names)) return std::nullopt;
    const bool is_optimizer = text == module_role_name(ModuleRole::optimizer);
    if (names->size() == 1 && !has_single_names && !is_optimizer) return std::nullopt;
    leave_out_wrappers(*names);
    return ModuleText{is_optimizer ? ModuleRole::optimizer : ModuleRole::other, true, std::move(*names)};
}

bool is_dotted_module_path(std::string_view text) {
    const auto names = module_names_of_path(text);
    return names && names->size() > 1 && is_module_path(*names);
}

namespace {

constexpr std::uint32_t k_modules_between_stop_checks = 1U << 16;
constexpr std::size_t k_max_modules = std::size_t{1} << 18;

/// The tree of modules during its construction. Nodes are in the order in which they were first found.
class GrowingTree {
public:
    /// Returns the node of a path. Adds missing nodes, as long as there are fewer than k_max_modules. Node 0 is the model
    /// itself.
    std::uint32_t place(const std::vector<std::string_view>& names) {
        std::uint32_t at = 0;
        for (const std::string_view name : names) {
            const auto [known, is_new] = children_.try_emplace(Child{at, name}, static_cast<std::uint32_t>(nodes_.size()));
            if (is_new && nodes_.size() == k_max_modules) {
                children_.erase(known);
                break;
            }
            if (is_new) nodes_.push_back({name, at, nodes_[at].depth + 1, 0});
            at = known->second;
        }
        return at;
    }

    std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
        while (a != b) {
            std::uint32_t& deeper = nodes_[a].depth < nodes_[b].depth ? b : a;
            deeper = nodes_[deeper].parent;
        }
        return a;
    }

    /// Returns the nodes depth first, and a map from the present node indices to the new ones.
    std::pair<std::vector<ModuleNode>, std::vector<std::uint32_t>> sorted() const {
        std::vector<std::uint32_t> by_parent(nodes_.size() - 1);  // nodes sorted by parent, siblings in reverse order
        std::iota(by_parent.begin(), by_parent.end(), 1);
        std::ranges::sort(by_parent, [this](std::uint32_t a, std::uint32_t b) {
            if (nodes_[a].parent != nodes_[b].parent) return nodes_[a].parent < nodes_[b].parent;
            return compare_names(nodes_[a].name, nodes_[b].name) > 0;
        });
        std::vector<std::uint32_t> first_child(nodes_.size() + 1);
        for (const std::uint32_t node : by_parent) ++first_child[nodes_[node].parent + 1];
        std::partial_sum(first_child.begin(), first_child.end(), first_child.begin());

        std::vector<ModuleNode> sorted;
        std::vector<std::uint32_t> numbers(nodes_.size());
        std::vector<std::uint32_t> waiting = {0};
        while (!waiting.empty()) {
            const std::uint32_t node = waiting.back();
            waiting.pop_back();
            numbers[node] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(nodes_[node]);
            if (node != 0) sorted.back().parent = numbers[nodes_[node].parent];
            for (std::uint32_t i = first_child[node]; i < first_child[node + 1]; ++i) waiting.push_back(by_parent[i]);
        }
        for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i].end = static_cast<std::uint32_t>(i + 1);
        for (std::size_t i = sorted.size(); i-- > 1;) {
            ModuleNode& parent = sorted[sorted[i].parent];
            parent.end = std::max(parent.end, sorted[i].end);
        }
        return {std::move(sorted), std::move(numbers)};
    }

private:
    struct Child {
        std::uint32_t parent;
        std::string_view name;
        bool operator==(const Child&) const = default;
    };
    struct ChildHash {
        KeyedHash hash;
        std::size_t operator()(const Child& child) const {
            return hash(hash(child.name.data(), child.name.size()) ^ child.parent);
        }
    };

    std::vector<ModuleNode> nodes_ = {ModuleNode{}};
    std::unordered_map<Child, std::uint32_t, ChildHash> children_;
};

/// Finds the module of each allocation. Parses each text once, when it is first needed.
class ModuleFinder {
public:
    ModuleFinder(const Snapshot& snapshot, const DeviceTrace& trace)
        : snapshot_(snapshot), trace_(trace), own_(snapshot), parsed_(snapshot.metadata.size()) {
        stamps_modules_ = std::ranges::any_of(
            snapshot.metadata, [this](const EventMetadata& metadata) { return is_dotted_module_path(text_of(metadata)); });
    }

    ModuleOfAllocation find(AllocationId id) {
        if (const ModuleOfAllocation found = by_notes(id); found.evidence != ModuleEvidence::none) return found;
        const EventId alloc = trace_.allocations.alloc_event[id.value];
        if (!alloc.is_some() || own_.contains(trace_, id)) return {};
        ModuleOfAllocation found = by_text(metadata_of(trace_, id));
        if (found.evidence != ModuleEvidence::none) found.evidence = ModuleEvidence::metadata;
        return found;
    }

    const GrowingTree& tree() const { return tree_; }

private:
    std::string_view text_of(const EventMetadata& metadata) const { return snapshot_.strings.view(metadata.user_metadata); }

    /// Parses the text of a metadata entry as an annotation. The result has ModuleEvidence::none if the text cannot be
    /// parsed.
    ModuleOfAllocation by_text(MetadataId metadata) {
        if (!metadata.is_some()) return {};
        std::optional<ModuleOfAllocation>& found = parsed_[metadata.value];
        if (found) return *found;
        const auto text = read_module_text(text_of(snapshot_.metadata[metadata.value]), stamps_modules_);
        if (!text) return found.emplace();
        const std::uint32_t module = text->has_module ? tree_.place(text->names) : k_no_module;
        return found.emplace(ModuleOfAllocation{module, text->role, ModuleEvidence::annotation});
    }

    ModuleOfAllocation by_notes(AllocationId id) {
        ModuleOfAllocation all;
        bool is_disputed = false;
        for (const AllocationNote& note : notes_of(trace_, id)) {
            const ModuleOfAllocation one = by_text(trace_.events.metadata[note.event.value]);
            if (one.evidence == ModuleEvidence::none) continue;
            all.evidence = one.evidence;
            all.module = all.module == k_no_module || one.module == k_no_module ? std::min(all.module, one.module)
                                                                                : tree_.common(all.module, one.module);
            if (one.role == ModuleRole::other) continue;
            is_disputed = is_disputed || (all.role != ModuleRole::other && all.role != one.role);
            all.role = one.role;
        }
        if (is_disputed) all.role = ModuleRole::other;
        return all;
    }

    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    InternalAllocations own_;
    std::vector<std::optional<ModuleOfAllocation>> parsed_;  ///< cache of parsed texts, by metadata id
    GrowingTree tree_;
    bool stamps_modules_ = false;
};

}  // namespace

std::string Modules::path(std::uint32_t node) const {
    std::string path;
    for (; nodes[node].depth > 0; node = nodes[node].parent)
        path = std::string(nodes[node].name) + (path.empty() ? "" : "." + path);
    return path;
}

std::string Modules::short_name(std::uint32_t node) const {
    const std::string_view name = nodes[node].name;
    const bool is_counted = nodes[node].depth > 1 && is_digit(name.front());
    return is_counted ? std::string(nodes[nodes[node].parent].name) + "." + std::string(name) : std::string(name);
}

std::uint32_t Modules::within(std::uint32_t node, std::uint32_t depth) const {
    while (nodes[node].depth > depth) node = nodes[node].parent;
    return node;
}

Modules find_modules(const Snapshot& snapshot, const DeviceTrace& trace) {
    Modules modules;
    const bool has_texts = std::ranges::any_of(snapshot.metadata, [&](const EventMetadata& metadata) {
        return !snapshot.strings.view(metadata.user_metadata).empty();
    });
    if (!has_texts) return modules;
    ModuleFinder finder(snapshot, trace);
    const auto count = static_cast<std::uint32_t>(trace.allocations.size());
    modules.of.reserve(count);
    bool has_modules = false;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % k_modules_between_stop_checks == 0) check_stop();
        modules.of.push_back(finder.find(AllocationId{i}));
        has_modules = has_modules || modules.of.back().evidence != ModuleEvidence::none;
    }
    if (!has_modules) return Modules{};
    auto [nodes, numbers] = finder.tree().sorted();
    for (ModuleOfAllocation& of : modules.of) {
        if (of.module != k_no_module) of.module = numbers[of.module];
    }
    modules.nodes = std::move(nodes);
    return modules;
}

std::uint64_t ModuleBytes::total() const { return std::accumulate(by_role.begin(), by_role.end(), std::uint64_t{0}); }

void ModuleBytes::add(const ModuleBytes& other) {
    for (std::size_t i = 0; i < by_role.size(); ++i) by_role[i] += other.by_role[i];
    count += other.count;
}

ModuleTotals module_totals(const Timeline& timeline, const Modules& modules, std::uint32_t tick) {
    ModuleTotals totals;
    totals.own.resize(modules.nodes.size());
    if (modules.empty()) return totals;
    for (const AllocationId id : timeline.live_after_tick(tick)) {
        const ModuleOfAllocation& of = modules.of[id.value];
        ModuleBytes& bytes = of.module == k_no_module ? totals.without : totals.own[of.module];
        bytes.by_role[static_cast<std::size_t>(of.role)] += timeline.trace().allocations.size_bytes[id.value];
        ++bytes.count;
    }
    totals.all = totals.own;
    for (std::size_t i = modules.nodes.size(); i-- > 1;) totals.all[modules.nodes[i].parent].add(totals.all[i]);
    return totals;
}

std::uint32_t informative_depth(const Modules& modules, const ModuleTotals& totals) {
    std::uint32_t best = 1;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t depth = 1; !modules.nodes.empty(); ++depth) {
        std::uint64_t largest = 0;
        std::size_t count = 0;
        bool is_deepest = true;
        for (std::size_t i = 0; i < modules.nodes.size(); ++i) {
            const ModuleNode& node = modules.nodes[i];
            if (node.depth > depth) {
                is_deepest = false;
                continue;
            }
            const bool is_whole = node.depth == depth;
            largest = std::max(largest, (is_whole ? totals.all[i] : totals.own[i]).total());
            if (is_whole || node.end == i + 1) ++count;
        }
        if (depth > 1 && count > k_max_informative_modules) break;
        if (largest < least) best = depth;
        least = std::min(least, largest);
        if (is_deepest || 4 * largest <= totals.all.front().total()) break;
    }
    return best;
}

}  // namespace snapviewer
