// SPDX-License-Identifier: Apache-2.0

extension ReportFrame {
    /// Whether the frame is of Epitaph itself, which stands between a program's functions as the
    /// first function of its threads and as a handler of std::terminate. Told by what nobody else
    /// has: the prefix of our C functions, also where they are linked statically or are static, the
    /// Swift module, and our source files.
    var isOwn: Bool {
        if let function {
            let name = FunctionName.normalized(function)
            if name.hasPrefix("epitaph_") { return true }
            if FunctionContext(name).library == "Epitaph" { return true }
        }
        guard let file = source?.file else { return false }
        return Self.ownFolders.contains { file.contains($0) }
    }

    private static let ownFolders = ["/Sources/CEpitaph/", "/Sources/CCrashCapture/"]
}
