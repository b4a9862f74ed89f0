#pragma once

#include <cstddef>
#include <memory>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/document/document.h"
#include "core/mesh/colour_groups.h"
#include "core/mesh/greyed.h"
#include "core/timeline/emphasis.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

struct BuiltView {
    std::shared_ptr<const Document> document;
    std::size_t device_index = 0;
    ViewKind kind = ViewKind::allocations;
    Result<DeviceView> view;
};

/// A sentence about the contents of a picture.
const char* view_kind_doc(ViewKind kind);

/// The pictures of the open file: their devices, the visible part, their colours, and their transfer to the graphics card.
/// Main thread, with the OpenGL context current.
class Pictures : public Feature {
public:
    /// `state` outlives this. Without a canvas nothing is drawn, as in tests of what follows the pictures.
    Pictures(AppState& state, std::unique_ptr<TimelineCanvas> canvas);

    /// After another document came into the state: its devices, the default one on the screen. Null: nothing.
    void adopt() override;
    /// Shows a device, given its index in the document, with the picture that it showed last.
    void show_device(std::size_t device_index);
    /// Shows a picture of the device on the screen; starts to make it if necessary.
    void show_view(ViewKind kind);
    void show_next_view();
    /// Shows an existing picture of a device, instead of the current one.
    void show(std::size_t device_index, ViewKind kind);
    void colour_by(ColourBy by);
    /// After the answers of the device on the screen came: kinds are among them.
    void kinds_are_told();
    /// Colours of the allocations of the picture on the screen, regardless of the highlight. Valid until colours_version()
    /// changes.
    AllocationColours colours() const;
    /// Another number when colours() gives others.
    std::uint64_t colours_version() const { return colours_version_; }

    /// Takes a picture that was made; goes on with sending one.
    void update() override;
    /// Begins to send what the graphics card does not have yet: once, however often it changed since the last call.
    void send();
    /// Cancels the picture that is being made, without waiting.
    void stop() { building_.discard(); }

    bool is_busy() const override;
    const Job<BuiltView>& building() const { return building_; }
    ViewKind building_kind() const { return building_kind_; }
    /// Moves the canvas to another file's pictures, which are then on the graphics card instead of these. Until it comes
    /// back this has none: nothing may be asked of it but hand_over_to().
    void hand_over_to(Pictures& next);
    TimelineCanvas& canvas() const { return *canvas_; }
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void connect_kinds(Commands& commands);
    void connect_colours(Switchboard& board);
    DevicePicture first_picture(DeviceView made) const;
    void keep_moments(const DevicePicture& left, DevicePicture& shown) const;
    void put_on_screen(std::size_t device_index, ViewKind kind);
    void prepare();
    ColourBy colouring() const;
    ColourGroups groups_of(const Timeline& timeline) const;
    void regroup();
    void recolour();
    void take_built();
    void send_standing_out();
    bool is_standing_out_sent() const;
    void continue_sending();
    void fail(const Error& error);

    AppState& state_;
    std::unique_ptr<TimelineCanvas> canvas_;
    ViewKind building_kind_ = ViewKind::allocations;
    Job<BuiltView> building_;
    bool is_sent_ = true;
    bool are_colours_sent_ = true;
    std::uint64_t colours_version_ = 0;
    std::shared_ptr<const Emphasis> standing_out_;  ///< as it was sent
    Ground ground_ = Ground::dark;                  ///< as sent; decides how allocations without highlight are greyed
};

}  // namespace snapviewer
