// SPDX-License-Identifier: Apache-2.0

import EpitaphNames

// What users call Epitaph.Event is Event in the house.
package typealias AttachmentError = Epitaph.AttachmentError
package typealias CaptureLimits = Epitaph.CaptureLimits
package typealias CrashFileMode = Epitaph.CrashFileMode
package typealias CrashReporterOptions = Epitaph.CrashReporterOptions
package typealias LimitsError = Epitaph.LimitsError
package typealias LiveDumpError = Epitaph.LiveDumpError
package typealias RegisteredMemoryError = Epitaph.RegisteredMemoryError
package typealias ScopeError = Epitaph.ScopeError
package typealias SignalError = Epitaph.SignalError
package typealias StartError = Epitaph.StartError
package typealias TaskScope = Epitaph.TaskScope
package typealias TestCrash = Epitaph.TestCrash
package typealias TestCrashRefusal = Epitaph.TestCrashRefusal
