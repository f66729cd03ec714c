// SPDX-License-Identifier: Apache-2.0

/// Code that ran, or was to be called, in a library that dlclose(3) had unloaded. The dump has no
/// list of unloaded libraries: an address near the loaded ones proves neither this nor that.
enum UnloadedLibrary {
    /// Few libraries and mappings between them are larger together.
    private static let reach: UInt64 = 256 << 20

    /// True if nothing is mapped at `target`, and libraries are near it.
    static func mayHold(_ target: UInt64, _ scene: CrashScene) -> Bool {
        guard let space = scene.addressSpace, space.mapping(at: target) == nil else { return false }
        return scene.snapshot.modules.contains { module in
            let range = module.addressRange
            guard [.sharedObject, .loader].contains(module.kind), !range.isEmpty else {
                return false
            }
            return range.lowerBound > target
                ? range.lowerBound - target < reach : target - range.upperBound < reach
        }
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
