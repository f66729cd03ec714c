// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum UnloadedLibrary {
    /// Few libraries and mappings between them are larger together.
    private static let reach: UInt64 = 256 << 20

    /// True if nothing is mapped at `target`, nobody knows what was, and libraries are near it.
    static func mayHold(_ target: UInt64, _ scene: CrashScene) -> Bool {
        guard let space = scene.addressSpace, space.mapping(at: target) == nil,
            scene.snapshot.unloadedModule(at: target) == nil
        else { return false }
        return scene.snapshot.modules.contains { module in
            let range = module.addressRange
            guard [.sharedObject, .loader].contains(module.kind), !range.isEmpty else {
                return false
            }
            return range.lowerBound > target
                ? range.lowerBound - target < reach : target - range.upperBound < reach
        }
    }

    static func diagnosis(
        of target: UInt64, in library: ModuleSnapshot, verb: String, evidence: String
    ) -> Diagnosis {
        let range = library.addressRange
        let offset = (target - range.lowerBound).hex
        return Diagnosis(
            kind: .wildJump,
            headline: "\(verb) \(library.name), which had been unloaded",
            "The code is \(offset) bytes into \(library.path), which dlclose had removed.",
            evidence: "\(evidence) The library was at \(range.lowerBound.hex) to "
                + "\(range.upperBound.hex), where nothing is mapped any more.")
    }

    static func diagnosis(returningTo target: UInt64, evidence: String) -> Diagnosis {
        return Diagnosis(
            kind: .wildJump,
            headline: "returned to \(target.hex), where no code is: a library was unloaded, or a "
                + "return address was overwritten",
            "The code that the function returned to was in a library that dlclose unloaded, or the "
                + "return address was overwritten, as by a write past the end of a buffer on the "
                + "stack.",
            evidence: "\(evidence) Libraries are loaded near this address.")
    }
}
