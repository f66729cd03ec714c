// SPDX-License-Identifier: Apache-2.0

import ELFImage

extension ModuleImages {
    /// Whether the module can be unwound by tables; nil where there is no file to tell.
    public var hasUnwindTables: Bool? {
        guard let image = code?.image else { return nil }
        let files = [image, debug?.image].compactMap(\.self)
        return image.unwindTable != nil
            || files.contains { file in
                [".eh_frame", ".debug_frame"].contains { name in
                    file.section(named: name).map { !$0.isEmptyInFile } == true
                }
            }
    }
}
