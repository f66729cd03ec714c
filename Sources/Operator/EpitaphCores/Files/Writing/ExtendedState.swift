// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// `NT_X86_XSTATE`: a signal frame's XSAVE area, with the feature mask instead of the frame's own
/// header: `struct _fpx_sw_bytes`, asm/sigcontext.h; `user_xstateregs`, asm/user.h.
enum ExtendedState {
    /// FP_XSTATE_MAGIC1
    private static let magic: UInt32 = 0x4650_5853
    private static let magicOffset = 464
    private static let header = 576

    /// End offset of each feature in Intel's layout, which gdb 13 assumes; it refuses a shorter
    /// area. AMD's layout differs, so its state gets no note.
    private static let ends: [(bit: Int, end: Int)] = [
        (2, 832), (3, 1024), (4, 1088), (5, 1152), (6, 1664), (7, 2688), (9, 2696), (17, 2816),
        (18, 11008),
    ]

    /// Nil if the state is incomplete, or has a layout that debuggers would misread.
    static func area(ofSignalFrame state: ByteSlice) -> ByteBuilder? {
        guard state.load(at: magicOffset, as: UInt32.self) == magic,
            let features = state.load(at: 472, as: UInt64.self),
            let size = state.load(at: 480, as: UInt32.self),
            Int(size) <= state.count, Int(size) >= header,
            features & 3 == 3, features & ~known == 0
        else { return nil }
        let needed = ends.filter { features >> UInt64($0.bit) & 1 != 0 }.map(\.end).max() ?? header
        guard Int(size) >= needed, Int(size) < needed + 64 else { return nil }
        var area = ByteBuilder()
        area.append(state.slice(from: 0, length: needed).array)
        area.overwrite(at: magicOffset, with: features)
        for offset in stride(from: 472, to: 512, by: 8) {
            area.overwrite(at: offset, with: UInt64(0))
        }
        return area
    }

    private static var known: UInt64 {
        ends.reduce(3) { $0 | 1 << UInt64($1.bit) }
    }
}
