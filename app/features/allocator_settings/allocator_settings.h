#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/features/session.h"
#include "app/ui/feature.h"

namespace snapviewer::allocator_settings {

/// Window that lists the allocator settings recorded in the file.
class AllocatorSettingsWindow : public Feature {
public:
    /// Keeps a reference, which must outlive this object.
    explicit AllocatorSettingsWindow(const Session& session) : session_(session) {}

    void connect(Switchboard& board) override;

private:
    /// Draws the settings as a tree. Each setting is a name and a value in JSON.
    void draw(const std::vector<std::pair<std::string, std::string>>& settings, Requests& requests);

    const Session& session_;
    bool is_open_ = false;
    std::string filter_;  ///< the part of a name or value that the listed settings contain
};

}  // namespace snapviewer::allocator_settings
