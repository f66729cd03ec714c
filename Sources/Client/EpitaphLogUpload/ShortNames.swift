// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.LogUploader`; our own code writes the short name.
package typealias DiscardReason = Epitaph.DiscardReason
package typealias LogDestination = Epitaph.LogDestination
package typealias LogFile = Epitaph.LogFile
package typealias LogForm = Epitaph.LogForm
package typealias LogLimits = Epitaph.LogLimits
package typealias LogSelection = Epitaph.LogSelection
package typealias LogUploadDelegate = Epitaph.LogUploadDelegate
package typealias LogUploadFailure = Epitaph.LogUploadFailure
package typealias LogUploadOptions = Epitaph.LogUploadOptions
package typealias LogUploadSummary = Epitaph.LogUploadSummary
package typealias LogUploader = Epitaph.LogUploader
package typealias TemplateDestination = Epitaph.TemplateDestination
package typealias RollingLog = Epitaph.RollingLog
package typealias RollingLogOptions = Epitaph.RollingLogOptions
