// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

struct ModuleSnapshotTests {
    private func module(
        _ start: UInt64, _ kind: ModuleSnapshot.Kind, path: String = "/srv/d"
    ) -> ModuleSnapshot {
        ModuleSnapshot(path: path, addressRange: start..<start + 0x1000, kind: kind)
    }

    @Test("A program linked for one address is where its file says, others count from their start")
    func assumedLoadBias() {
        #expect(module(0x40_0000, .executable).assumedLoadBias == 0)
        #expect(module(0x5555_5555_4000, .executable).assumedLoadBias == 0x5555_5555_4000)
        #expect(module(0x40_0000, .sharedObject).assumedLoadBias == 0x40_0000)
        var known = module(0x5555_5555_4000, .executable)
        known.loadBias = 0x5555_5555_0000
        #expect(known.assumedLoadBias == 0x5555_5555_0000)
    }

    @Test("Where every program is loaded low, a low place says nothing")
    func lowPlaces() {
        var narrow = module(0x5655_5000, .executable)
        narrow.isFixedWhenLow = false
        #expect(narrow.assumedLoadBias == 0x5655_5000)
    }

    @Test("The kernel's mark is no part of the path, unless the file is really called so")
    func installedPath() {
        var gone = module(0x1000, .executable, path: "/srv/d (deleted)")
        #expect(gone.installedPath == "/srv/d")
        gone.fileState = .replaced
        #expect(gone.installedPath == "/srv/d")
        gone.fileState = .same
        #expect(gone.installedPath == "/srv/d (deleted)")
        #expect(module(0x1000, .executable).installedPath == "/srv/d")
    }
}
