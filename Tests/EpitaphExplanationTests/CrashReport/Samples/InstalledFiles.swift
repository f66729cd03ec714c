// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

extension CrashExplanation {
    private static let images = InstalledImages()
    private static let symbols = SymbolCache()

    /// Explains with the files of this machine, which are opened once for all tests. Not for tests
    /// that change such a file.
    convenience init(installed snapshot: ProcessSnapshot) {
        self.init(snapshot, images: Self.images, cache: Self.symbols)
    }
}
