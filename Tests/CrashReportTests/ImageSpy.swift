// SPDX-License-Identifier: Apache-2.0

import Snapshot
import StackUnwinding
import Synchronization

/// Has no files, and remembers which were asked for.
final class Spy: ELFImageSource, Sendable {
    private let asked = Mutex<Set<String>>([])

    var names: Set<String> { asked.withLock { $0 } }

    func images(for module: ModuleSnapshot) -> ModuleImages {
        asked.withLock { _ = $0.insert(module.name) }
        return ModuleImages(problem: .notFound(path: module.path))
    }
}
